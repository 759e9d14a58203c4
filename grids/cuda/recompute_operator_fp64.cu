#include "grids/cuda/factories.hpp"
#include "grids/cuda/recompute_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_recompute_operator<double>(Backend& backend, const RowData& data) {
  return make_recompute<double>(backend, data);
}

}  // namespace poisson::cuda
