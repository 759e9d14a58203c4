#include "grids/cuda/line_kernels.cuh"

namespace poisson::cuda {

template void relax_lines(cudaStream_t, int, const LineStep<double, Partial<double, true>>&);
template void relax_lines(cudaStream_t, int, const LineStep<double, Partial<double, false>>&);

}  // namespace poisson::cuda
