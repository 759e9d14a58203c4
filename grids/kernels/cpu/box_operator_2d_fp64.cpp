#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/stencil_operator.hpp"

namespace poisson::cpu {

template <>
std::unique_ptr<Operator> make_box_operator<double, 2>(Backend& backend, const RowData& data) {
  return make_box_stencil_operator<StencilOperator, double, 2>(backend, data);
}

}  // namespace poisson::cpu
