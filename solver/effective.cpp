#include "solver/effective.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "backends/device/arrays.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/results/mean_flux.hpp"
#include "grids/results/percolation.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "solver/flow_stages.hpp"
#include "solver/grid_model.hpp"

namespace poisson {
namespace {

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

// Solves along the axes after each other. Periodic axes share the levels.
class Drive {
 public:
  Drive(Backend& backend, const Problem& problem, const EffectiveOptions& options)
      : backend_(backend), problem_(problem), options_(options) {}

  Result along(int axis) {
    if (!options_.periodic || !model_) make(axis);
    std::array<double, 3> rise{};
    if (options_.periodic) rise[static_cast<std::size_t>(axis)] = driving_rise;
    model_->fill(solver_->rhs(), solver_->solution());
    if (options_.periodic)
      add_rise(discretization(), static_cast<std::size_t>(axis), driving_rise, solver_->A().scale(), solver_->rhs());
    model_->set_rise(rise);
    if (options_.flow_tolerance > 0)
      solver_->set_stages(
          settling_stages(options_.flow_tolerance, options_.solver.tolerance, rise, discretization(), *solver_));
    return model_->solve(*solver_, /*given_guess=*/false, {}, Model::Data::of_problem);
  }
  const Discretization& discretization() const { return model_->discretization(); }
  const Field& solution() const { return solver_->solution(); }

 private:
  void make(int axis) {
    solver_.reset();
    model_.reset();
    Problem driven = problem_;
    drive_faces(driven, axis, options_.periodic);
    model_ = std::make_unique<GridModel>(backend_, std::move(driven));
    solver_ = make_solver(*model_, options_.solver);
  }

  Backend& backend_;
  const Problem& problem_;
  const EffectiveOptions& options_;
  std::unique_ptr<GridModel> model_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace

void drive_faces(Problem& problem, int axis, bool periodic) {
  for (int d = 0; d < problem.dimension; ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      Boundary face;
      face.kind = periodic ? BoundaryKind::periodic : d == axis ? BoundaryKind::dirichlet : BoundaryKind::neumann;
      if (!periodic && d == axis && end == 0) face.value = -driving_rise;
      problem.boundary[static_cast<std::size_t>(d)][end] = std::move(face);
    }
}

void EffectiveTally::add(const Discretization& d, const Field& u, int axis, bool converged) {
  const auto a = static_cast<std::size_t>(axis);
  const std::vector<double>& nodes = d.problem().nodes[a];
  const auto axes = static_cast<std::size_t>(d.problem().dimension);
  effective_.percolates[a] = poisson::percolates(d, axis);
  if (!effective_.percolates[a]) {
    for (std::size_t j = 0; j < axes; ++j) effective_.tensor[j][a] = 0;
    return;
  }
  if (!converged) return fail(axis);
  std::array<double, 3> rise{};
  if (effective_.periodic) rise[a] = driving_rise;
  const std::array<double, 3> mean = mean_flux(d, u, rise);
  for (std::size_t j = 0; j < axes; ++j) effective_.tensor[j][a] = mean[j] * (nodes.back() - nodes.front());
}

void EffectiveTally::add_means(const Discretization& d) {
  const bool equal = std::ranges::all_of(d.block().axes, [](const Axis& axis) { return axis.equidistant(); });
  const OpenSums sums = equal && d.media()->codes() ? sums_of_voxels(*d.media()) : sums_of_cells(d);
  effective_.porosity = sums.open / sums.volume;
  for (std::size_t a = 0; a < 3; ++a) mean_kappa_[a] = sums.kappa[a] / sums.volume;
}

Effective EffectiveTally::finish() const {
  Effective found = effective_;
  for (const int axis : found.axes) {
    const auto a = static_cast<std::size_t>(axis);
    if (found.percolates[a]) found.tortuosity[a] = mean_kappa_[a] / found.tensor[a][a];
  }
  return found;
}

Effective effective(Backend& backend, const Problem& problem, const EffectiveOptions& options) {
  if (!problem.media) throw std::invalid_argument("effective() needs a problem with media");
  std::vector<int> axes = options.axes;
  if (axes.empty()) {
    axes.resize(static_cast<std::size_t>(problem.dimension));
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (const int axis : axes)
    if (axis < 0 || axis >= problem.dimension)
      throw std::invalid_argument("axis " + std::to_string(axis) + " is not one of the problem");
  const std::shared_ptr<void> kept = keep_released_memory(backend);
  EffectiveTally tally(axes, options.periodic);
  Drive drive(backend, problem, options);
  for (const int axis : axes) {
    const Result result = drive.along(axis);
    tally.count(result.iterations);
    tally.add(drive.discretization(), drive.solution(), axis, result.converged());
  }
  tally.add_means(drive.discretization());
  return tally.finish();
}

Effective effective(Backend& backend, const ByteImage& image, const std::map<int, double>& coefficients,
                    const EffectiveOptions& options) {
  Problem problem = problem_of(image);
  MediaDescription media;
  std::map<int, std::string> names;
  for (const auto& [label, coefficient] : coefficients) {
    names[label] = "label " + std::to_string(label);
    if (coefficient == 0)
      media.insulator(names[label]);
    else
      media.material(names[label], coefficient);
  }
  media.image(image, names);
  media.use(problem);
  return effective(backend, problem, options);
}

}  // namespace poisson
