#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/stencil_operator.hpp"

namespace poisson::cpu {

template <>
std::unique_ptr<Operator> make_star_operator<float>(Backend& backend, const RowData& data) {
  if (data.on_faces()) return std::make_unique<StencilOperator<float, Faces<float>>>(backend, data);
  return make_stencil_operator<StencilOperator, float>(backend, data);
}

}  // namespace poisson::cpu
