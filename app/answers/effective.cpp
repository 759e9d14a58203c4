#include "app/answers/effective.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/answers/periodic_axes.hpp"
#include "app/cases/model_case.hpp"
#include "backends/device/arrays.hpp"
#include "backends/memory/error.hpp"
#include "grids/results/mean_flux.hpp"
#include "grids/results/percolation.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "solver/grid_model.hpp"

namespace poisson {
namespace {

const Discretization& discretization_of(Case& work) {
  return dynamic_cast<GridModel&>(dynamic_cast<ModelCase&>(work).model()).discretization();
}

// Contains sums over cells of their volumes, of those that conduct, and of κ in these.
struct OpenSums {
  double volume = 0, open = 0;
  std::array<double, 3> kappa{};

  void add(const OpenSums& other) {
    volume += other.volume;
    open += other.open;
    for (std::size_t a = 0; a < 3; ++a) kappa[a] += other.kappa[a];
  }
};

// Returns the sums over equal voxels of all processes, which follow from the number of voxels of each region.
OpenSums sums_of_voxels(const MediaSystem& media) {
  OpenSums sums;
  for (std::size_t r = 0; r < media.cells_of_regions().size(); ++r) {
    const double count = media.cells_of_regions()[r];
    const auto region = static_cast<RegionNumber>(r);
    sums.volume += count;
    if (!media.cells().conducts(region) || count == 0) continue;
    sums.open += count;
    for (std::size_t a = 0; a < 3; ++a) sums.kappa[a] += count * media.cells().kappa(region, a, 0, 0, 0);
  }
  return sums;
}

OpenSums sums_of_cells(const Discretization& d) {
  const MediaSystem& media = *d.media();
  const auto& n = d.block().layout().n;
  std::vector<OpenSums> planes(static_cast<std::size_t>(n[2]));
#pragma omp parallel for
  for (int k = 0; k < n[2]; ++k) {
    OpenSums& sums = planes[static_cast<std::size_t>(k)];
    for_each_place({{0, 0, k}, {n[0], n[1], k + 1}}, [&](int i, int j, int) {
      const double v = media.cells().volume(i, j, k);
      sums.volume += v;
      const RegionNumber region = media.cells().region(i, j, k);
      if (!media.cells().conducts(region)) return;
      const double open = v * media.open_volume(i, j, k);
      sums.open += open;
      for (std::size_t a = 0; a < 3; ++a) sums.kappa[a] += open * media.cells().kappa(region, a, i, j, k);
    });
  }
  OpenSums sums;
  for (const OpenSums& plane : planes) sums.add(plane);
  sums.volume = d.processes().sum(sums.volume);
  sums.open = d.processes().sum(sums.open);
  for (double& kappa : sums.kappa) kappa = d.processes().sum(kappa);
  return sums;
}

}  // namespace

EffectiveAnswer::EffectiveAnswer(const Config& config, Case& work, const std::function<bool()>& stopped,
                                 Summary& summary)
    : config_(config) {
  const Config::Output::Effective& wanted = *config.output.effective;
  effective_.axes = wanted.axes;
  effective_.periodic = wanted.periodic;
  add_axis(config, work, wanted.axes[0], summary.converged);
  if (wanted.periodic)
    effective_.iterations += solve_periodic_axes(
        work, wanted.axes, stopped, [&](int axis, bool converged) { add_axis(config, work, axis, converged); });
  const Discretization& d = discretization_of(work);
  const bool equal = std::ranges::all_of(d.block().axes, [](const Axis& axis) { return axis.equidistant(); });
  const OpenSums sums = equal && d.media()->codes() ? sums_of_voxels(*d.media()) : sums_of_cells(d);
  effective_.porosity = sums.open / sums.volume;
  for (std::size_t a = 0; a < 3; ++a) mean_kappa_[a] = sums.kappa[a] / sums.volume;
  summary.converged = summary.converged || !effective_.percolates[static_cast<std::size_t>(wanted.axes[0])];
}

// Adds the answers of a solve along an axis: a column of the tensor, and whether the material connects both faces. A
// column without a connection is 0, whatever the solve found; a column of a failed solve stays unknown.
void EffectiveAnswer::add_axis(const Config& driven, Case& work, int axis, bool converged) {
  const Discretization& d = discretization_of(work);
  const auto a = static_cast<std::size_t>(axis);
  const std::vector<double>& nodes = driven.problem.nodes[a];
  const auto axes = static_cast<std::size_t>(driven.problem.dimension);
  effective_.percolates[a] = percolates(d, axis);
  if (!effective_.percolates[a]) {
    for (std::size_t j = 0; j < axes; ++j) effective_.tensor[j][a] = 0;
    return;
  }
  if (!converged) return effective_.failed.push_back(axis);
  std::array<double, 3> rise{};
  if (effective_.periodic) rise[a] = driving_rise;
  const std::array<double, 3> mean = mean_flux(d, dynamic_cast<ModelCase&>(work).solver().solution(), rise);
  for (std::size_t j = 0; j < axes; ++j) effective_.tensor[j][a] = mean[j] * (nodes.back() - nodes.front());
}

void EffectiveAnswer::finish(Backend& backend, const std::shared_ptr<const Processes>& processes,
                             const std::function<bool()>& stopped, Summary& summary) {
  const std::shared_ptr<void> kept = keep_released_memory(backend);
  // Fixed faces change places from axis to axis, and so does the operator.
  for (std::size_t n = 1; n < effective_.axes.size() && !effective_.periodic; ++n) {
    const int axis = effective_.axes[n];
    if (stopped()) {
      effective_.failed.push_back(axis);
      continue;
    }
    Config turned = config_;
    drive(turned, axis);
    const std::unique_ptr<Case> other = make_case(turned, processes);
    other->make_solver(backend, nullptr);
    other->fill();
    const Result result = other->solve(false, [&](const Solver::Progress&) { return !stopped(); });
    effective_.iterations += result.iterations;
    add_axis(turned, *other, axis, result.converged());
  }
  for (const int axis : effective_.axes) {
    const auto a = static_cast<std::size_t>(axis);
    if (effective_.percolates[a]) effective_.tortuosity[a] = mean_kappa_[a] / effective_.tensor[a][a];
  }
  if (!effective_.failed.empty()) summary.converged = false;
  summary.effective = effective_;
}

}  // namespace poisson
