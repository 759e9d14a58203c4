#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_star_operator<double>(Backend& backend, const RowData& data) {
  return make_stencil_operator<CompiledOperator, double>(backend, data);
}

}  // namespace poisson::cuda
