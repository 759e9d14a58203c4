#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_face_operator<float>(Backend& backend, const RowData& data) {
  return std::make_unique<StencilOperator<float, Faces<float>>>(backend, data);
}

}  // namespace poisson::cuda
