#pragma once

#include "backends/device/arrays.hpp"
#include "grids/rows/data_gradients.hpp"

namespace poisson {

template <DataGradient kind>
struct KindOf {};

/// Calls f(KindOf<kind>{}).
template <class F>
void for_kind(DataGradient kind, const F& f) {
  switch (kind) {
    case DataGradient::source_at_values:
      return f(KindOf<DataGradient::source_at_values>{});
    case DataGradient::source_in_cells:
      return f(KindOf<DataGradient::source_in_cells>{});
    case DataGradient::reaction_at_values:
      return f(KindOf<DataGradient::reaction_at_values>{});
    case DataGradient::reaction_in_cells:
      return f(KindOf<DataGradient::reaction_in_cells>{});
    case DataGradient::reaction_elements:
      return f(KindOf<DataGradient::reaction_elements>{});
    case DataGradient::kappa_at_nodes:
      return f(KindOf<DataGradient::kappa_at_nodes>{});
    case DataGradient::kappa_in_cells:
      return f(KindOf<DataGradient::kappa_in_cells>{});
    case DataGradient::kappa_elements:
      return f(KindOf<DataGradient::kappa_elements>{});
  }
}

namespace cuda {

template <class T>
void compute_gradient(Backend& backend, DataGradient kind, const GradientData<T>& data, const Array& to);

}  // namespace cuda
}  // namespace poisson
