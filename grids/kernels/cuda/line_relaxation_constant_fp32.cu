#include "grids/kernels/cuda/line_kernels.cuh"

namespace poisson::cuda {

template void relax_lines(cudaStream_t, int, const LineStep<float, TensorProduct<float>>&);

}  // namespace poisson::cuda
