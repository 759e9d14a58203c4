#include "grids/kernels/cpu/assembled_operator.hpp"
#include "grids/kernels/cpu/factories.hpp"

namespace poisson::cpu {

template <>
std::unique_ptr<Operator> make_assembled_operator<float>(Backend& backend, const RowData& data) {
  return make_assembled<float>(backend, data);
}
template <>
std::unique_ptr<Operator> make_assembled_operator<float>(Backend& backend, const RowData& data, const Bands& bands) {
  return make_of_bands<float>(backend, data, bands);
}

}  // namespace poisson::cpu
