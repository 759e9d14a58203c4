#include "backends/cuda/cuda_backend.cuh"
#include "lab/harness/stream.cuh"

namespace poisson::lab {

cudaStream_t stream_of(Backend& backend) {
  return static_cast<cuda::CudaBackend&>(backend).stream();
}

}  // namespace poisson::lab
