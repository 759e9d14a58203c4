#include "app/answers/effective.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/cases/model_case.hpp"
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

// Adds the answers of a solve along an axis: a column of the tensor, and whether the material connects both faces. A
// column without a connection is 0, whatever the solve found; a column of a failed solve stays unknown.
void add_axis(const Config& config, Case& work, int axis, bool converged, Summary::Effective& effective) {
  const Discretization& d = discretization_of(work);
  const auto a = static_cast<std::size_t>(axis);
  const std::vector<double>& nodes = config.problem.nodes[a];
  const auto axes = static_cast<std::size_t>(config.problem.dimension);
  effective.percolates[a] = percolates(d, axis);
  if (!effective.percolates[a]) {
    for (std::size_t j = 0; j < axes; ++j) effective.tensor[j][a] = 0;
    return;
  }
  if (!converged) return effective.failed.push_back(axis);
  const bool periodic = config.output.effective->periodic;
  std::array<double, 3> rise{};
  if (periodic) rise[a] = driving_rise;
  const std::array<double, 3> mean = mean_flux(d, dynamic_cast<ModelCase&>(work).solver().solution(), rise);
  for (std::size_t j = 0; j < axes; ++j) effective.tensor[j][a] = mean[j] * (nodes.back() - nodes.front());
}

// Computes the mean coefficient along an axis and the share of the volume that conducts.
void add_means(const Config& config, const Discretization& d, Summary::Effective& effective) {
  const MediaSystem& media = *d.media();
  const Block& block = d.block();
  struct Sums {
    double volume = 0, open = 0;
    std::array<double, 3> kappa{};
  };
  const auto& n = block.layout().n;
  std::vector<Sums> planes(static_cast<std::size_t>(n[2]));
#pragma omp parallel for
  for (int k = 0; k < n[2]; ++k) {
    Sums& sums = planes[static_cast<std::size_t>(k)];
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
  double volume = 0, open = 0;
  std::array<double, 3> sums{};
  for (const Sums& plane : planes) {
    volume += plane.volume;
    open += plane.open;
    for (std::size_t a = 0; a < 3; ++a) sums[a] += plane.kappa[a];
  }
  volume = d.processes().sum(volume);
  effective.porosity = d.processes().sum(open) / volume;
  for (const int axis : config.output.effective->axes) {
    const auto a = static_cast<std::size_t>(axis);
    const double total = d.processes().sum(sums[a]);
    if (effective.percolates[a]) effective.tortuosity[a] = total / volume / effective.tensor[a][a];
  }
}

}  // namespace

void measure_effective(const Config& config, Case& work, Backend& backend,
                       const std::shared_ptr<const Processes>& processes, const std::function<bool()>& stopped,
                       Summary& summary) {
  const Config::Output::Effective& wanted = *config.output.effective;
  Summary::Effective effective;
  effective.axes = wanted.axes;
  effective.periodic = wanted.periodic;
  add_axis(config, work, wanted.axes[0], summary.converged, effective);
  for (std::size_t n = 1; n < wanted.axes.size(); ++n) {
    if (stopped()) {
      effective.failed.push_back(wanted.axes[n]);
      continue;
    }
    Config turned = config;
    drive(turned, wanted.axes[n]);
    const std::unique_ptr<Case> other = make_case(turned, processes);
    other->make_solver(backend, nullptr);
    other->fill();
    const Result result = other->solve(false, [&](const Solver::Progress&) { return !stopped(); });
    effective.iterations += result.iterations;
    add_axis(turned, *other, wanted.axes[n], result.converged(), effective);
  }
  add_means(config, discretization_of(work), effective);
  summary.converged = summary.converged || !effective.percolates[static_cast<std::size_t>(wanted.axes[0])];
  if (!effective.failed.empty()) summary.converged = false;
  summary.effective = effective;
}

}  // namespace poisson
