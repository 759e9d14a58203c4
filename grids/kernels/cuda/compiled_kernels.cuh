#pragma once

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/exchanging_columns.cuh"
#include "grids/kernels/cuda/smoothing_steps.cuh"
#include "grids/operators/level_rows.hpp"

namespace poisson::cuda {

/// `CompiledKernels` launches kernels that nvcc compiled with the program.
template <class T, class Coefficients>
class CompiledKernels {
  using Steps = SmoothingSteps<T, Coefficients>;

 public:
  static constexpr bool relaxes_lines = true;

  CompiledKernels(CudaBackend& device, const LevelRows&) : device_(device) {}

  cudaStream_t stream() const { return device_.stream(); }
  template <class Column>
  void columns(const Box& box, const Column& column) const {
    device_.for_columns<Steps>(box, column);
  }
  template <class Column>
  void columns(const Box& box, const Column& column, const ColumnEnds<T>& ends) const {
    for_columns(device_, box, column, ends);
  }
  /// `shares` returns whether verbs on a box share launches; `share` adds a functor to a shared launch.
  bool shares(const Box& box) const { return device_.shares(box); }
  template <class Column>
  void share(const Column& column) const {
    device_.share<Steps>(column);
  }
  /// Calls CudaBackend::sum_parts.
  template <class Column>
  PlaneSums sum_parts(const Box& box, int before, int planes, int depth, const Column& column) const {
    return device_.sum_parts(box, before, planes, depth, column);
  }

 private:
  CudaBackend& device_;
};

}  // namespace poisson::cuda
