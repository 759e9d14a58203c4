#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "backends/device/backend.hpp"

namespace poisson {

// These classes exist only in builds with CUDA: a CPU has no bus transfers to hide.

/// Owns host memory that a device accesses directly, at the full rate of the bus and while the host continues. The
/// memory is page-locked, so a run should allocate no more than it needs. Not initialized. Throws RunError if the
/// memory is not available.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);

  void* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  struct Release {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Release> data_;
  std::size_t bytes_;
};

/// Sends a host array through a CUDA device chunk by chunk. While chunk i is computed, chunk i + 1 is uploaded and
/// chunk i − 1 is downloaded. The chunks use three buffers in rotation.
class Pipeline {
 public:
  /// Launches work on `stream` (a cudaStream_t) that changes `bytes` bytes at `chunk`, in device memory, in place.
  /// Called for one chunk after another; `offset` is the chunk's offset in the array, in bytes.
  using Compute = std::function<void(void* chunk, std::size_t bytes, std::size_t offset, void* stream)>;

  /// Allocates 3 chunk_bytes of device memory. Throws InputError if chunk_bytes is 0 or the backend is not a CUDA
  /// device, and RunError if the memory is not available.
  Pipeline(Backend& backend, std::size_t chunk_bytes);
  ~Pipeline();

  /// Applies `compute` to `bytes` bytes at `from` and writes the result to `to`, which may equal `from`. Both should be
  /// pinned; pageable memory works, but nothing overlaps. The run starts after earlier work on the backend's stream,
  /// and returns when the last chunk is complete. The last chunk may be shorter.
  void run(const void* from, void* to, std::size_t bytes, const Compute& compute);

 private:
  class Lanes;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace poisson
