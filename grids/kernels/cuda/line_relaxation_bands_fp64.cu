#include "grids/kernels/cuda/line_kernels.cuh"
#include "grids/rows/band_coefficients.hpp"

namespace poisson::cuda {

template void relax_lines(cudaStream_t, int, const LineStep<double, LineBands<double>>&);

}  // namespace poisson::cuda
