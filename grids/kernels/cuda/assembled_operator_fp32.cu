#include "grids/kernels/cuda/assembled_operator.cuh"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_assembled_operator<float>(Backend& backend, const RowData& data) {
  return make_assembled<float>(backend, data);
}
template <>
std::unique_ptr<Operator> make_assembled_operator<float>(Backend& backend, const RowData& data, const Bands& bands) {
  return make_of_bands<float>(backend, data, bands);
}

}  // namespace poisson::cuda
