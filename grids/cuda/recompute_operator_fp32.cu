#include "grids/cuda/factories.hpp"
#include "grids/cuda/recompute_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_recompute_operator<float>(Backend& backend, const RowData& data) {
  return make_recompute<float>(backend, data);
}

}  // namespace poisson::cuda
