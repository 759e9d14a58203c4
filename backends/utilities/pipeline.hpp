#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "backends/backend.hpp"

namespace poisson {

// Only in builds with CUDA: on a CPU there is no bus to hide.

/// Memory of the host that a device reads and writes by itself, at the full rate of the bus and while the host goes
/// on. It is locked in place: take no more than a run needs. Not initialized. Throws RunError where it cannot be had.
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

/// Streams an array of the host through a CUDA device, chunk by chunk: while chunk i is computed, chunk i + 1 is on its
/// way up and chunk i − 1 on its way down, in three buffers that take turns.
class Pipeline {
 public:
  /// Launches work on `stream` (a cudaStream_t) that changes so many bytes at `chunk` in the device's memory in place.
  /// Called for one chunk after another; offset: of the chunk in the array, in bytes.
  using Compute = std::function<void(void* chunk, std::size_t bytes, std::size_t offset, void* stream)>;

  /// Takes three times chunk_bytes of the device's memory. Throws InputError for chunks of no bytes or a backend that
  /// is not a CUDA device, RunError where the memory cannot be had.
  Pipeline(Backend& backend, std::size_t chunk_bytes);
  ~Pipeline();

  /// to = what compute makes of from, for so many bytes of pinned memory (from pageable memory it works as well, but
  /// nothing overlaps); both may be the same. Begins after the work already on the backend's stream and waits for the
  /// end. The last chunk may be shorter.
  void run(const void* from, void* to, std::size_t bytes, const Compute& compute);

 private:
  class Lanes;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace poisson
