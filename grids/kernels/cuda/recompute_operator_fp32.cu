#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/recompute_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_recompute_star_operator<float>(Backend& backend, const RowData& data) {
  return with_recompute_model<float>(recomputed_rows(data),
                                     [&]<class C>(Model<C>, const char*) -> std::unique_ptr<Operator> {
                                       return std::make_unique<RecomputeOperator<float, C>>(backend, data);
                                     });
}

}  // namespace poisson::cuda
