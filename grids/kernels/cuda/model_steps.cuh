#pragma once

#include <type_traits>

#include "backends/cuda/pending_steps.cuh"
#include "backends/cuda/value_columns.cuh"
#include "grids/kernels/cuda/transfer_columns.cuh"
#include "grids/kernels/cuda/weighted_columns.cuh"

namespace poisson::cuda {

/// `CommonColumns` lists the functors between the sweeps of small levels of every kind. Every list of functors that
/// share launches begins with it.
template <class T>
using CommonColumns =
    decltype(ValueColumns<T>() +
             ColumnList<Restrict<T, T>, Prolong<T, T, false>, Prolong<T, T, true>, Interpolate<T, T>, Gather<T, T>,
                        WeightedRestrict<T, T, T>, WeightedProlong<T, T, T, false>, WeightedProlong<T, T, T, true>>());

template <class T>
void launch_common_steps(cudaStream_t stream, const Step* steps, int count);
extern template void launch_common_steps<float>(cudaStream_t, const Step*, int);
extern template void launch_common_steps<double>(cudaStream_t, const Step*, int);

/// Transfers join the launch of any verbs, and may come before the first of them.
struct TransferSteps {
  static constexpr bool joins_any = true;
  template <class T>
  using Columns = CommonColumns<T>;
  template <class T>
  static constexpr SequenceLauncher launcher = &launch_common_steps<T>;
};

}  // namespace poisson::cuda
