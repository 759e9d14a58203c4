#include "grids/cuda/line_kernels.cuh"
#include "grids/face_coefficients.hpp"

namespace poisson::cuda {

template void relax_lines(cudaStream_t, int, const LineStep<float, Faces<float>>&);

}  // namespace poisson::cuda
