#pragma once

#include <cstdint>
#include <vector>

#include "backends/device/backend.hpp"

namespace poisson::lab {

/// Owns an array in the memory of a backend. Elements are zero at first.
template <class T>
class Array {
 public:
  /// Throws RunError if the allocation fails.
  Array(Backend& backend, std::int64_t size)
      : backend_(&backend), size_(size), buffer_(backend.allocate(static_cast<std::size_t>(size) * sizeof(T))) {}
  Array(Backend& backend, const std::vector<T>& values) : Array(backend, static_cast<std::int64_t>(values.size())) {
    backend.write(values.data(), data(), bytes());
  }

  T* data() const { return static_cast<T*>(buffer_.data()); }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  /// Waits for earlier work and copies the array to the host.
  std::vector<T> host() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    backend_->read(data(), values.data(), bytes());
    return values;
  }

 private:
  Backend* backend_;
  std::int64_t size_;
  Buffer buffer_;
};

}  // namespace poisson::lab
