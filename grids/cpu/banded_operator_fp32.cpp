#include "grids/cpu/banded_operator.hpp"
#include "grids/cpu/factories.hpp"

namespace poisson::cpu {

template <>
std::unique_ptr<Operator> make_banded_operator<float>(Backend& backend, const RowData& data) {
  return make_banded<float>(backend, data);
}

}  // namespace poisson::cpu
