#pragma once

#include "grids/kernels/cuda/recompute_columns.cuh"
#include "grids/kernels/cuda/runtime_sources.hpp"
#include "grids/operators/stencil_base.hpp"

namespace poisson::cuda {

/// Calls f(Model<C>(), name) with the model of such rows in the host's layout, and with its name in sources that define
/// T and Kappa.
template <class T, class F>
auto with_recompute_model(RecomputedRows rows, const F& f) {
  if (rows.kind == RecomputedRows::cells)
    return f(Model<RecomputeFaces<T, KappaAtRunTime>>(), "RecomputeFaces<T, Kappa>");
  return f(Model<Recompute<T, KappaAtRunTime>>(), "Recompute<T, Kappa>");
}
/// Does the same for elements.
template <class T, class F>
auto with_recompute_box_model(RecomputedRows rows, const F& f) {
  const auto of = [&]<int dimension>(Number<dimension>) {
    const auto model = [&]<Tensor kind>(const char* name) {
      return f(Model<RecomputeElements<T, dimension, kind, KappaAtRunTime>>(), name);
    };
    constexpr bool flat = dimension == 2;
    if (rows.tensor == Tensor::full)
      return model.template operator()<Tensor::full>(flat ? "RecomputeElements<T, 2, Tensor::full, Kappa>"
                                                          : "RecomputeElements<T, 3, Tensor::full, Kappa>");
    if (rows.tensor == Tensor::diagonal)
      return model.template operator()<Tensor::diagonal>(flat ? "RecomputeElements<T, 2, Tensor::diagonal, Kappa>"
                                                              : "RecomputeElements<T, 3, Tensor::diagonal, Kappa>");
    return model.template operator()<Tensor::isotropic>(flat ? "RecomputeElements<T, 2, Tensor::isotropic, Kappa>"
                                                             : "RecomputeElements<T, 3, Tensor::isotropic, Kappa>");
  };
  return rows.dimension == 2 ? of(Number<2>()) : of(Number<3>());
}

}  // namespace poisson::cuda
