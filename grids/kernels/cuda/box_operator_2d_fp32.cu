#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_box_operator<float, 2>(Backend& backend, const RowData& data) {
  return make_box_stencil_operator<CompiledOperator, float, 2>(backend, data);
}

}  // namespace poisson::cuda
