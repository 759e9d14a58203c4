#include "backends/cuda/sequence_kernel.cuh"
#include "grids/kernels/cuda/model_steps.cuh"

namespace poisson::cuda {

template <class T>
void launch_common_steps(cudaStream_t stream, const Step* steps, int count) {
  launch_sequence(CommonColumns<T>(), stream, steps, count);
}
template void launch_common_steps<float>(cudaStream_t, const Step*, int);
template void launch_common_steps<double>(cudaStream_t, const Step*, int);

}  // namespace poisson::cuda
