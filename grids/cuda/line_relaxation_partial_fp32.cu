#include "grids/cuda/line_kernels.cuh"

namespace poisson::cuda {

template void relax_lines(cudaStream_t, int, const LineStep<float, Partial<float, true>>&);
template void relax_lines(cudaStream_t, int, const LineStep<float, Partial<float, false>>&);

}  // namespace poisson::cuda
