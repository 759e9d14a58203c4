#include "backends/cuda/devices.hpp"

#include <cuda_runtime.h>

namespace poisson::cuda {

int count_devices(std::string& reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();  // clears the error, which is handled here
    count = 0;
    reason = status == cudaErrorInsufficientDriver ? "there is no NVIDIA driver, or one older than this program's CUDA"
                                                   : cudaGetErrorString(status);
  } else if (count == 0) {
    reason = "the driver sees none";
  }
  return count;
}

void create_context(int number) {
  if (cudaSetDevice(number) == cudaSuccess) cudaFree(nullptr);
  cudaGetLastError();
}

}  // namespace poisson::cuda
