#pragma once

#include "grids/cuda/recompute_columns.cuh"
#include "grids/cuda/runtime_sources.hpp"
#include "grids/recompute_faces.hpp"
#include "grids/stencil_base.hpp"

namespace poisson::cuda {

/// f(Model<C>(), name) with the model of such rows as the host lays it out, and what it is called where T and Kappa are
/// known.
template <class T, class F>
auto with_recompute_model(RecomputedRows rows, const F& f) {
  if (rows == RecomputedRows::cells) return f(Model<RecomputeFaces<T, KappaAtRunTime>>(), "RecomputeFaces<T, Kappa>");
  return f(Model<Recompute<T, KappaAtRunTime>>(), "Recompute<T, Kappa>");
}

}  // namespace poisson::cuda
