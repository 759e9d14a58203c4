// This case has its unknowns on a grid: nodes, cells or elements.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/cases/flow_stages.hpp"
#include "app/cases/grid_description.hpp"
#include "app/cases/grid_sharing.hpp"
#include "app/cases/media_description.hpp"
#include "app/cases/model_case.hpp"
#include "app/describe.hpp"
#include "app/memory.hpp"
#include "backends/processes/machine.hpp"
#include "grids/results/cell_interpolation.hpp"
#include "grids/results/effective.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/results/face_results.hpp"
#include "grids/results/floating_flows.hpp"
#include "grids/results/integrals.hpp"
#include "grids/results/region_results.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/row_scheme.hpp"
#include "solver/grid_model.hpp"

namespace poisson {
namespace {

bool has_constant_kappa(const Problem& problem) {
  return std::ranges::all_of(kappa_components(problem), [](const Quantity& q) { return q.constant(); });
}

// Returns κ with sharp jumps, as between two materials, and κ that jumps from cell to cell.
std::array<KappaSummary, 2> jumping_kappa(const Problem& problem) {
  KappaSummary few = known_kappa(problem), many = few;
  few.jumps.largest = std::numeric_limits<double>::infinity();
  many.jumps.largest = many.jumps.range = 1e6;
  many.jumps.share = 1;
  many.jumps.steep_along = {1, 1, 1};
  return {few, many};
}

// Returns the problem with a share of its cells along each axis, but at least eight cells, or all if there are fewer.
// The cells keep their distribution of widths.
Problem with_share(Problem problem, double share) {
  constexpr double least = 8;
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
    const std::vector<double> nodes = std::exchange(problem.nodes[d], {});
    const std::size_t now = nodes.size() - 1;
    const auto fewer = static_cast<std::size_t>(
        std::min(std::max(least, std::floor(static_cast<double>(now) * share)), static_cast<double>(now)));
    for (std::size_t i = 0; i < fewer; ++i) {
      const std::size_t below = i * now / fewer;
      const double t = static_cast<double>(i * now % fewer) / static_cast<double>(fewer);
      problem.nodes[d].push_back(std::lerp(nodes[below], nodes[below + 1], t));
    }
    problem.nodes[d].push_back(nodes.back());
  }
  return problem;
}

class GridCase final : public ModelCase {
 public:
  GridCase(const Config& config, const std::shared_ptr<const Processes>& processes)
      : ModelCase(config.options, share_grid(config, processes), make_block(config.problem)),
        config_(config),
        problem_(config.problem),
        driven_axis_(config.driven_axis),
        here_(count_on_machine(*processes)) {}

  void check_values() const override { poisson::check_values(problem_); }
  void economize(const Backend& backend) override { economize(backend, 0); }
  std::vector<std::string> statement() const override {
    return {"problem   " + describe_equation(problem_), "faces     " + describe_boundary(problem_),
            "cells     " + describe_widths(config_)};
  }
  std::vector<std::string> beside_plan(const Plan& smooth, bool gpu) const override {
    if (has_constant_kappa(problem_)) return {};
    std::vector<std::string> lines;
    constexpr std::array when{"has sharp jumps", "jumps from cell to cell"};
    std::string method = describe_method(smooth.options);
    std::size_t most = smooth.most();
    const auto jumping = jumping_kappa(problem_);
    for (std::size_t k = 0; k < jumping.size(); ++k) {
      const Plan plan = make(problem_, options_, gpu, jumping[k]);
      std::string then = describe_method(plan.options);
      if (then == method && plan.most() <= most) continue;
      lines.push_back(fmt::format("          {} if the coefficient {}: {}",
                                  readable_bytes(static_cast<double>(plan.most())), when[k], then));
      method = std::move(then);
      most = plan.most();
    }
    return lines;
  }
  std::vector<std::string> assembly(std::int64_t unknowns, bool gpu) const override {
    std::vector<std::string> lines;
    describe_modes(config_, unknowns, gpu, lines);
    return lines;
  }
  bool on_boxes() const override { return on_elements(problem_.scheme); }

  // Returns advice such as "use 40 % of the cells per axis, at most 400 x 400 x 200, or precision: single". The
  // advised plans fit, with a margin for allocations before the solver exists.
  std::string smaller(bool gpu, double room, const Claim& claim) const override {
    constexpr double margin = 0.95, step = 0.97;
    const auto claimed = [&](const Problem& problem, const Options& options) {
      return claim(make(problem, options, gpu, kappa_), problem);
    };
    const auto fits = [&](const Problem& problem, const Options& options) {
      try {
        return claimed(problem, options) <= margin * room;
      } catch (const InputError&) {  // the grid has too few cells for these processes
        return false;
      }
    };
    double share =
        std::min(step, std::pow(std::max(0.0, room) / claimed(problem_, options_), 1.0 / problem_.dimension));
    Problem fewer = with_share(problem_, share);
    while (!fits(fewer, options_)) {
      if (fewer.nodes == with_share(problem_, 0).nodes) return "no grid fits; raise this limit";
      fewer = with_share(problem_, share *= step);
    }
    std::string cells;
    for (std::size_t d = 0; d < static_cast<std::size_t>(problem_.dimension); ++d)
      cells += fmt::format("{}{}", d == 0 ? "" : " x ", fewer.nodes[d].size() - 1);
    Options single = options_;
    single.precision = SolvePrecision::single;
    return fmt::format("use {} of the cells per axis, at most {}{}",
                       share < 0.01 ? "less than 1 %" : fmt::format("{:.0f} %", std::floor(100 * share)), cells,
                       fits(problem_, single) ? ", or precision: single" : "");
  }

  double sampling_seconds() const override { return d().sampling_seconds(); }

  double fill() override {
    size_ = ModelCase::fill();
    if (problem_.initial && d().media())  // values in other cells would be steps of the iteration
      set_gaps(d(), 0, solver_->solution(), /*fixed_values=*/false);
    sized_ = true;
    add_to_filled();
    return size_;
  }
  void drive_along(int axis) override { driven_axis_ = axis; }
  void refill(bool start) override {
    if (d().media()) {
      fill();
      return;
    }
    Quantity same = d().problem().source;  // an array of the program may have other values now
    dynamic_cast<GridModel&>(*model_).update({.source = std::move(same)});
    fill_rhs(d(), solver_->rhs());
    if (start) d().initialize(solver_->solution());
    sized_ = false;
    add_to_filled();
  }

  std::vector<std::string> doubts() const override {
    std::vector<std::string> all = describe_idle_data(config_, grid_ ? d().block() : make_block(problem_),
                                                      !grid_ || d().rhs_sums().total_source() == 0);
    std::ranges::copy(config_.warnings, std::back_inserter(all));
    std::ranges::copy(grid_ && d().media() ? describe_media(*d().media())
                      : grid_ == nullptr   ? describe_uncovered(problem_)
                                           : std::vector<std::string>(),
                      std::back_inserter(all));
    if (economized_) all.emplace_back(describe_economy(options_));
    if (problem_.media && FloatingBodies::any(*problem_.media) && grid_ && !d().media()->floating())
      all.push_back(
          fmt::format("floating bodies are images or more than {}: they conduct {:.0e} times as well as the "
                      "best conductor instead, and bodies lists their values as means",
                      most_exact_bodies, strong_kappa));
    return all;
  }

  void describe(RunHeader& header, Summary& summary) const override {
    for (std::size_t face = 0; summary.flux.size() < 2 * static_cast<std::size_t>(problem_.dimension); ++face)
      summary.flux.add(std::string(face_names[face]), unknown);
    header.problem = describe_equation(problem_);
    header.boundary = describe_boundary(problem_);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(problem_.dimension); ++axis) {
      const auto& nodes = problem_.nodes[axis];
      header.cells.push_back(static_cast<std::int64_t>(nodes.size()) - 1);
      header.lower[axis] = nodes.front();
      header.upper[axis] = nodes.back();
    }
    header.equidistant = config_.equidistant;
    header.widths = describe_widths(config_);
    header.parameters = describe_parameters(config_.parameters);
    header.assembly = describe_assembly(config_, d().backend().on_gpu());
    header.hint = describe_hint(problem_, d().jumps());
    if (!d().evaluated_on_host().empty()) header.device += "; " + d().evaluated_on_host();
    if (!d().stored_kappa().empty())
      header.device += "; the coefficient is stored, assembly partial: " + d().stored_kappa();
  }

  void observe(Summary& summary) override {
    if (!sized_) {
      Field data(d().backend(), d().block().space(), Precision::fp64);
      size_ = d().assemble_rhs(data);
      sized_ = true;
    }
    const Field& u = solver_->solution();
    SolutionNorms norms;
    observe_floating(summary);
    if (d().media()) {
      set_gaps(d(), 0, solver_->solution());
      norms = observe_media(summary);
    } else {
      norms = solution_norms(d(), u);
    }
    const auto place = [&](const std::array<double, 3>& at) {
      return std::vector<double>(at.begin(), at.begin() + problem_.dimension);
    };
    summary.solution = {norms.min, norms.max, norms.integral, norms.l2, place(norms.min_at), place(norms.max_at)};
    if (problem_.exact) {
      const ErrorNorms e = error_norms(d(), u);
      summary.error = Summary::ErrorNorms{e.max, e.l2};
    }
    for (const auto& point : config_.output.probes) summary.probes.push_back({point, interpolate_at(d(), u, point)});
    if (answers_faces(problem_)) observe_faces(summary);
    if (writes_flux(config_)) summary.balance.in_cells = unbalanced_share(rise(), d(), *solver_);
    const Balance b = balance(d(), solver_->A(), u, solver_->rhs(), solver_->spare());
    summary.flux = b.flux;
    summary.balance.source = b.source;
    summary.balance.reaction = b.reaction;
    summary.balance.residual = b.residual;
    const double from_bodies = std::accumulate(b.bodies.begin(), b.bodies.end(), 0.0);
    // The product A u is rounded in fp32, and so is the residual of each row. The totals give the residual instead.
    if (u.precision() == Precision::fp32)
      summary.balance.residual = summary.balance.projected - summary.balance.extrapolated.value_or(0) + b.reaction -
                                 b.source - std::accumulate(b.flux.begin(), b.flux.end(), from_bodies);
    summary.balance.flow = throughput(b);
    // If all totals are rounding errors, as between Neumann faces or under a mean gradient, the magnitude of the data
    // is the reference.
    if (summary.balance.flow < 1e-10 * size_ || driven_axis_ >= 0)
      summary.balance.flow = std::max(summary.balance.flow, size_);
  }

  OutputGrid output_grid() const override {
    OutputGrid grid;
    grid.dimension = problem_.dimension;
    grid.equidistant = config_.equidistant;
    grid.nodes = problem_.nodes;
    grid.planes = config_.output.planes;
    if (grid.dimension == 2) grid.nodes[2] = {0.0};
    if (!sharing_.processes->alone()) grid.part = shown_places(part_, Location::cell);
    return grid;
  }
  Pieces field(const FieldChoice& choice) override {
    if (driven_axis_ < 0 || (choice.name != "flux" && choice.face_axis < 0)) return choice.of_grid(d(), *solver_);
    if (choice.face_axis >= 0) return gather_face_flux(d(), solver_->solution(), choice.face_axis, rise());
    return gather_flux(d(), solver_->solution(), rise());
  }

 private:
  // Returns u(x + L) − u(x) along each axis.
  std::array<double, 3> rise() const {
    std::array<double, 3> rise{};
    if (driven_axis_ >= 0) rise[static_cast<std::size_t>(driven_axis_)] = driving_rise;
    return rise;
  }

  // Computes the values and the charges of floating bodies.
  void observe_floating(Summary& summary) const {
    for (const FloatingResult& r : floating_results(d(), solver_->solution(), rise()))
      summary.floating_bodies.push_back({r.name, r.cells, r.value, r.charge, r.held});
  }

  // Computes the answers for bodies and materials. Returns the norms over the cells that have a solution.
  SolutionNorms observe_media(Summary& summary) const {
    const MediaResults results = media_results(d(), solver_->solution());
    const auto answers = [&](const std::vector<RegionResult>& from) {
      std::vector<Summary::Body> bodies;
      for (const RegionResult& r : from) {
        const auto place = [&](const std::array<double, 3>& at) {
          return std::vector<double>(at.begin(), at.begin() + problem_.dimension);
        };
        bodies.push_back({r.name, r.material, r.cells, r.volume, r.power, r.flow, r.through_faces, r.mean, r.min, r.max,
                          place(r.min_at), place(r.max_at)});
      }
      return bodies;
    };
    summary.bodies = answers(results.regions);
    summary.materials = answers(results.materials);
    summary.unknowns = results.solved;
    summary.floating = {results.floating, results.floating_volume};
    return results.norms;
  }

  // Computes the answers for faces and their parts.
  void observe_faces(Summary& summary) const {
    constexpr std::array kinds{"dirichlet", "neumann", "robin", "periodic"};
    const auto place = [&](const std::array<double, 3>& at) {
      return std::vector<double>(at.begin(), at.begin() + problem_.dimension);
    };
    for (const FaceResult& r : face_results(d(), solver_->solution())) {
      const bool several = r.part < 0 && boundary(problem_, r.axis, r.end).mixed_bc;
      std::string name(face_names[static_cast<std::size_t>(2 * r.axis + r.end)]);
      if (r.part >= 0) name += fmt::format("[{}]", r.part);
      summary.faces.push_back({name, several ? "several" : kinds[static_cast<std::size_t>(r.kind)], r.cells, r.area,
                               r.flow, r.mean, r.min, r.max, place(r.min_at), place(r.max_at)});
    }
  }

  // Checks the exact solution before the solve, so that a value that is not finite cannot waste the work.
  // Adds the rise of periodic values to b, and sets what later solves check.
  void add_to_filled() {
    if (driven_axis_ >= 0) {
      add_rise(d(), static_cast<std::size_t>(driven_axis_), driving_rise, solver_->A().scale(), solver_->rhs());
      dynamic_cast<GridModel&>(*model_).set_rise(rise());
      size_ = d().sampler().sum_of_magnitudes(solver_->rhs(), d().block().unknowns()) / solver_->A().scale();
    }
    check_exact();
    solver_->set_stages(flow_stages(config_, rise(), d(), *solver_));
  }

  void check_exact() const {
    if (!problem_.exact) return;
    try {
      error_norms(d(), solver_->solution());
    } catch (const ValueError& error) {
      throw ValueErrors(std::vector{error});
    }
  }

  std::unique_ptr<Model> make_model(Backend& backend) override {
    auto model = std::make_unique<GridModel>(backend, problem_, config_.assembly, Sampling::automatic, sharing_);
    grid_ = model.get();
    if (!has_constant_kappa(problem_)) check_memory();
    return model;
  }
  const Discretization& d() const { return grid_->discretization(); }

  // Checks the memory again if the sampled κ leads to another set-up than a smooth κ.
  void check_memory() {
    kappa_ = grid_->kappa();
    Plan sampled = grid_->plan(options_);
    const Plan& counted = plan(sampled.gpu);
    const bool same = same_set_up(counted, sampled, kappa_->jumps, problem_, d().block());
    same ? sampled.take_bytes(counted) : grid_->count_bytes(sampled);
    plan_ = std::move(sampled);
    if (same) return;
    economize(grid_->backend(), static_cast<double>(grid_->bytes()));
    require_memory(config_, *this, grid_->backend(), *plan_, here_, static_cast<double>(grid_->bytes()));
  }

  // Selects rediscretized levels for an image that does not fit into the memory of a device otherwise, and single
  // precision if only flows matter. `used`: bytes that the run has allocated.
  void economize(const Backend& backend, double used) {
    const bool free = options_.method == Method::automatic || options_.method == Method::multigrid;
    if (!backend.on_gpu() || !is_image(problem_) || !free || options_.coarse_operator != CoarseOperator::automatic ||
        options_.preconditioner != PreconditionerChoice::automatic)
      return;
    const double room = static_cast<double>(backend.available()) + used;
    const auto fits = [&] { return static_cast<double>(plan(true).most()) <= room; };
    if (fits()) return;
    const Options given = options_;
    options_.coarse_operator = CoarseOperator::rediscretized;
    plan_.reset();
    if (!fits() && config_.flow_tolerance > 0 && options_.precision == SolvePrecision::mixed) {
      options_.precision = SolvePrecision::single;
      plan_.reset();
    }
    economized_ = fits();
    if (economized_) return;
    options_ = given;
    plan_.reset();
  }

  Plan make(const Problem& problem, const Options& options, bool gpu, const std::optional<KappaSummary>& kappa) const {
    return poisson::make_plan(problem, options, config_.assembly, gpu, kappa, sharing_);
  }
  Plan make_plan(bool gpu) const override { return make(problem_, options_, gpu, kappa_); }

  const Config& config_;
  const Problem& problem_;
  int driven_axis_;                    ///< u rises by driving_rise across this periodic axis; −1: none
  int here_;                           ///< processes on this machine
  std::optional<KappaSummary> kappa_;  ///< known after sampling
  const GridModel* grid_ = nullptr;    ///< model_, or null before it exists
  double size_ = 0;                    // Σ|b|, if sized_
  bool sized_ = false;
  bool economized_ = false;  ///< rediscretized levels replace Galerkin levels
};

}  // namespace

std::unique_ptr<Case> make_grid_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<GridCase>(config, processes);
}

}  // namespace poisson
