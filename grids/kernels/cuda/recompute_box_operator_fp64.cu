#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/recompute_operator.cuh"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_recompute_box_operator<double>(Backend& backend, const RowData& data) {
  return with_recompute_box_model<double>(recomputed_rows(data),
                                          [&]<class C>(Model<C>, const char*) -> std::unique_ptr<Operator> {
                                            return std::make_unique<RecomputeOperator<double, C>>(backend, data);
                                          });
}

}  // namespace poisson::cuda
