#include "grids/cuda/banded_operator.cuh"
#include "grids/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_banded_operator<float>(Backend& backend, const RowData& data) {
  return make_banded<float>(backend, data);
}

}  // namespace poisson::cuda
