#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cuda {

/// Collects arrays of a set-up, to upload them together in one buffer and one transfer.
class DeviceTables {
 public:
  /// Adds an array. upload() sets `there` to its address on the device, so the referenced pointer must exist until
  /// then.
  template <class T>
  void add(const std::vector<T>& values, const T*& there) {
    const std::size_t offset = round_up(bytes_.size(), alignment);
    bytes_.resize(offset + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes_.data() + offset, values.data(), values.size() * sizeof(T));
    placements_.push_back(
        [offset, &there](const unsigned char* base) { there = reinterpret_cast<const T*>(base + offset); });
  }
  /// Uploads all arrays. They are valid as long as the returned buffer.
  Buffer upload(Backend& backend) const {
    Buffer buffer = backend.allocate(bytes_.size());
    backend.write(bytes_.data(), buffer.data(), bytes_.size());
    for (const auto& place : placements_) place(static_cast<const unsigned char*>(buffer.data()));
    return buffer;
  }

 private:
  static constexpr std::size_t alignment = 16;
  std::vector<unsigned char> bytes_;
  std::vector<std::function<void(const unsigned char*)>> placements_;
};

}  // namespace poisson::cuda
