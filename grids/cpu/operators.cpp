#include "grids/cpu/factories.hpp"
#include "grids/cpu/stencil_operator.hpp"

namespace poisson::cpu {

std::unique_ptr<Operator> make_operator(Backend& backend, const RowData& data, Precision precision) {
  return dispatch(precision, [&]<class T>(T) {
    if (data.held_as_bands()) return make_assembled_operator<T>(backend, data);
    if (data.scheme == Scheme::q1)
      return data.block.dimension() == 2 ? make_box_operator<T, 2>(backend, data) : make_box_operator<T, 3>(backend, data);
    return make_stencil_operator<StencilOperator, T>(backend, data);
  });
}

}  // namespace poisson::cpu
