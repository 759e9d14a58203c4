#pragma once

#include <array>
#include <string>
#include <vector>

#include "backends/cuda/runtime_module.hpp"
#include "grids/kernels/cuda/recompute_models.cuh"
#include "grids/kernels/cuda/runtime_headers.hpp"
#include "grids/kernels/cuda/runtime_sources.hpp"
#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {

template <class... Columns>
constexpr int count_columns(ColumnList<Columns...>) {
  return sizeof...(Columns);
}

/// `RecomputeKernels` launches the kernels of an operator that computes κ itself. They are compiled at run time around
/// the expression.
template <class T, class C>
class RecomputeKernels {
  static constexpr bool star = std::is_same_v<decltype(C().line(0, 0).row(0)), Row<T>>;
  using Mapping = std::conditional_t<star, MappingColumns<T, C>, BoxMappingColumns<T, C>>;
  using Summing = std::conditional_t<star, SummingColumns<T, C>, BoxSummingColumns<T, C>>;

 public:
  static constexpr bool relaxes_lines = false;  // Discretization stores κ if lines are relaxed

  template <class Own>
  RecomputeKernels(CudaBackend& device, const Own& rows) : device_(device) {
    std::vector<std::string> sources;
    for (int part = 0; part < recompute_parts; ++part)
      sources.push_back(recompute_source(recomputed_rows(rows), precision_of<T>, rows.kappa_source->expressions, part));
    modules_ = RuntimeModule::load(sources, runtime_headers());
    for (std::size_t i = 0; i < map_.size(); ++i) map_[i] = module_of(i).kernel("map_" + std::to_string(i));
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] = module_of(i).kernel("sum_" + std::to_string(i));
  }

  static constexpr bool shares(const Box&) { return false; }
  template <class Column>
  void columns(const Box& box, const Column& column) const {
    constexpr int number = position<Column, Mapping>;
    static_assert(number >= 0, "a column that recompute_columns.cuh does not list");
    if (box.size() == 0) return;
    const Tiling tiling(box);
    module_of(number).launch(map_[number], tiling.grid(), tile_threads, device_.stream(), Range(box), tiling, column);
  }
  template <class Column>
  PlaneSums sum_parts(const Box& box, int before, int planes, int depth, const Column& column) const {
    constexpr int number = position<Column, Summing>;
    static_assert(number >= 0, "a column that recompute_columns.cuh does not list");
    const PlaneSums sums(box, Tiling(box), depth);
    double* const partial = device_.partials(sums.partials(planes)) + sums.partials(before);
    if (sums.groups > 0)
      module_of(number).launch(sum_[number], sums.blocks(), tile_threads, device_.stream(), Range(box), sums, column,
                               partial);
    return sums;
  }

 private:
  const RuntimeModule& module_of(std::size_t number) const { return modules_[number % recompute_parts]; }

  CudaBackend& device_;
  std::vector<RuntimeModule> modules_;
  std::array<RuntimeModule::Kernel, count_columns(Mapping())> map_{};
  std::array<RuntimeModule::Kernel, count_columns(Summing())> sum_{};
};

template <class T, class C>
using RecomputeOperator = StencilOperator<T, C, RecomputeKernels<T, C>>;

template <class T, class Own>
std::unique_ptr<Operator> make_recompute_operator(Backend& backend, const Own& rows) {
  const auto make = [&]<class C>(Model<C>, const char*) -> std::unique_ptr<Operator> {
    return std::make_unique<RecomputeOperator<T, C>>(backend, rows);
  };
  if constexpr (std::is_same_v<Own, NodeRows>)
    return make(Model<Recompute<T, KappaAtRunTime>>(), "");
  else if constexpr (std::is_same_v<Own, FaceRows>)
    return make(Model<RecomputeFaces<T, KappaAtRunTime>>(), "");
  else
    return with_recompute_box_model<T>(recomputed_rows(rows), make);
}

}  // namespace poisson::cuda
