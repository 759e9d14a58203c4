#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_box_operator<double, 3>(Backend& backend, const RowData& data) {
  return make_box_stencil_operator<CompiledOperator, double, 3>(backend, data);
}

}  // namespace poisson::cuda
