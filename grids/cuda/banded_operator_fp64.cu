#include "grids/cuda/banded_operator.cuh"
#include "grids/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_banded_operator<double>(Backend& backend, const RowData& data) {
  return make_banded<double>(backend, data);
}

}  // namespace poisson::cuda
