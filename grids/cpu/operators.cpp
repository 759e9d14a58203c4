#include "grids/cpu/factories.hpp"

namespace poisson::cpu {

std::unique_ptr<Operator> make_operator(Backend& backend, const RowData& data, Precision precision) {
  return dispatch(precision, [&]<class T>(T) {
    if (data.held_as_bands()) return make_assembled_operator<T>(backend, data);
    if (data.scheme == Scheme::fv) return make_star_operator<T>(backend, data);
    return data.block.dimension() == 2 ? make_box_operator<T, 2>(backend, data)
                                       : make_box_operator<T, 3>(backend, data);
  });
}

}  // namespace poisson::cpu
