#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_face_operator<double>(Backend& backend, const RowData& data) {
  return std::make_unique<StencilOperator<double, Faces<double>>>(backend, data);
}

}  // namespace poisson::cuda
