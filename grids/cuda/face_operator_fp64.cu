#include "grids/cuda/factories.hpp"
#include "grids/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_face_operator<double>(Backend& backend, const RowData& data) {
  return std::make_unique<StencilOperator<double, Faces<double>>>(backend, data);
}

}  // namespace poisson::cuda
