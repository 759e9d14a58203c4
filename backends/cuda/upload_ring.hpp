#pragma once

#include <cstddef>

#include <cuda_runtime.h>

namespace poisson::cuda {

/// Copies small arrays of the host to the device without waiting for the stream: each is copied into pinned memory
/// first, from where the device fetches it later. Setting up levels writes many small tables between kernels.
class UploadRing {
 public:
  /// Copies are enqueued on the stream.
  explicit UploadRing(cudaStream_t stream) : stream_(stream) {}
  ~UploadRing();
  UploadRing(const UploadRing&) = delete;
  UploadRing& operator=(const UploadRing&) = delete;

  /// Enqueues a copy and returns true. `host` can then be changed. Returns false for arrays that are too large, or if
  /// no memory can be pinned.
  bool write(const void* host, void* device, std::size_t bytes);
  cudaStream_t stream() const { return stream_; }

 private:
  static constexpr std::size_t size = std::size_t{1} << 21, largest = size / 4;
  cudaStream_t stream_;
  unsigned char* pinned_ = nullptr;
  std::size_t used_ = 0;  // bytes that the stream may still read
  bool refused_ = false;
};

}  // namespace poisson::cuda
