#include "grids/kernels/cuda/assembled_operator.cuh"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_assembled_operator<double>(Backend& backend, const RowData& data) {
  return make_assembled<double>(backend, data);
}
template <>
std::unique_ptr<Operator> make_assembled_operator<double>(Backend& backend, const RowData& data, const Bands& bands) {
  return make_of_bands<double>(backend, data, bands);
}

}  // namespace poisson::cuda
