#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/stencil_operator.hpp"

namespace poisson::cpu {

template <>
std::unique_ptr<Operator> make_star_operator<double>(Backend& backend, const RowData& data) {
  if (data.on_faces()) return std::make_unique<StencilOperator<double, Faces<double>>>(backend, data);
  return make_stencil_operator<StencilOperator, double>(backend, data);
}

}  // namespace poisson::cpu
