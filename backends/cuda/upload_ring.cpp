#include "backends/cuda/upload_ring.hpp"

#include <cstring>

#include "backends/cuda/check.cuh"
#include "backends/memory/round_up.hpp"

namespace poisson::cuda {

UploadRing::~UploadRing() {
  if (pinned_) cudaFreeHost(pinned_);
}

bool UploadRing::write(const void* host, void* device, std::size_t bytes) {
  if (bytes > largest || refused_) return false;
  if (!pinned_ && cudaMallocHost(reinterpret_cast<void**>(&pinned_), size) != cudaSuccess) {
    cudaGetLastError();  // clears the error: the caller copies directly
    refused_ = true;
    return false;
  }
  if (used_ + bytes > size) {
    check(cudaStreamSynchronize(stream_));
    used_ = 0;
  }
  unsigned char* const place = pinned_ + used_;
  std::memcpy(place, host, bytes);
  check(cudaMemcpyAsync(device, place, bytes, cudaMemcpyHostToDevice, stream_));
  constexpr std::size_t alignment = 256;
  used_ = round_up(used_ + bytes, alignment);
  return true;
}

}  // namespace poisson::cuda
