#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_star_operator<float>(Backend& backend, const RowData& data) {
  return make_stencil_operator<CompiledOperator, float>(backend, data);
}

}  // namespace poisson::cuda
