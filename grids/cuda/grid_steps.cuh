#pragma once

#include "backends/cuda/pending_steps.cuh"
#include "backends/cuda/value_columns.cuh"
#include "grids/cuda/stencil_columns.cuh"
#include "grids/cuda/transfer_columns.cuh"

namespace poisson::cuda {

/// Runs verbs on small levels in one launch; compiled once for each precision.
template <class T>
void launch_grid_steps(cudaStream_t stream, const Step* steps, int count);
template <>
void launch_grid_steps<float>(cudaStream_t stream, const Step* steps, int count);
template <>
void launch_grid_steps<double>(cudaStream_t stream, const Step* steps, int count);

/// The verbs of a multigrid cycle below its finest level: those that can share a launch where levels are small.
class GridSteps {
  template <class T, class C>
  using Smoothing = ColumnList<March<T, C, Polynomial<T>>, EachRow<T, C, PolynomialStart<T>>, TwoColours<T, C>,
                               AnyColours<T, C>, March<T, C, Residual<T, T>>>;
  template <class T>
  using Transfers =
      ColumnList<Restrict<T, T>, Prolong<T, T, false>, Prolong<T, T, true>, Interpolate<T, T>, Inject<T, T>>;

 public:
  template <class T>
  using Columns = decltype(ValueColumns<T>() + Smoothing<T, Equidistant<T>>() + Smoothing<T, TensorProduct<T>>() +
                           Smoothing<T, Partial<T, true>>() + Smoothing<T, Partial<T, false>>() + Transfers<T>());
  template <class T>
  static constexpr SequenceLauncher launcher = &launch_grid_steps<T>;
};

}  // namespace poisson::cuda
