#include "grids/cuda/assembled_operator.cuh"
#include "grids/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_assembled_operator<double>(Backend& backend, const RowData& data) {
  return make_assembled<double>(backend, data);
}

}  // namespace poisson::cuda
