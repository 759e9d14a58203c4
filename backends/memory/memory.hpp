#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace poisson {

/// Counts the bytes that the buffers of one backend occupy, now and at the peak.
class MemoryCount {
 public:
  void add(std::size_t bytes) {
    now_ += bytes;
    if (now_ > peak_) peak_ = now_;
  }
  void remove(std::size_t bytes) { now_ -= bytes; }
  std::size_t now() const { return now_; }
  std::size_t peak() const { return peak_; }

 private:
  std::size_t now_ = 0, peak_ = 0;
};

/// Owns zeroed memory that a backend allocated, and returns it on destruction. Movable, not copyable.
class Buffer {
 public:
  Buffer() = default;
  Buffer(void* data, std::size_t bytes, std::function<void(void*)> release)
      : data_(data, std::move(release)), bytes_(bytes) {}

  void* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<void, std::function<void(void*)>> data_;
  std::size_t bytes_ = 0;
};

/// Formats a number of bytes, such as 3 GiB, 41.2 MiB or 512 B.
std::string readable_bytes(double bytes);

}  // namespace poisson
