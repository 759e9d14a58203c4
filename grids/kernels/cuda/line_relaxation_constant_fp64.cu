#include "grids/kernels/cuda/line_kernels.cuh"

namespace poisson::cuda {

template void relax_lines(cudaStream_t, int, const LineStep<double, TensorProduct<double>>&);

}  // namespace poisson::cuda
