// This case has its unknowns on a grid: nodes, cells or elements.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/cases/case.hpp"
#include "app/describe.hpp"
#include "app/memory.hpp"
#include "backends/processes/machine.hpp"
#include "grids/levels/solved_along.hpp"
#include "grids/results/cell_interpolation.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/assembly.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/shared_plan.hpp"

namespace poisson {
namespace {

std::string describe_equation(const Problem& p) {
  const double* kappa = p.isotropic ? p.coefficient[0].constant() : nullptr;
  const double* sigma = p.reaction.constant();
  const double* f = p.source.constant();
  std::string text = "-div(";
  if (kappa && *kappa != 1) text += fmt::format("{:g} ", *kappa);
  if (!kappa) text += "k ";
  text += "grad u)";
  if (!sigma) text += " + s u";
  if (sigma && *sigma != 0) text += fmt::format(" + {:g} u", *sigma);
  return text + (f ? fmt::format(" = {:g}", *f) : " = f");
}

std::string describe_boundary(const Problem& p) {
  constexpr std::array kinds{"Dirichlet", "Neumann", "Robin", "periodic", "several conditions"};
  const auto number = [&](const Boundary& b) {
    return b.mixed_bc ? kinds.size() - 1 : static_cast<std::size_t>(b.kind);
  };
  std::string text;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::string faces;
    int count = 0;
    for (std::size_t f = 0; f < 2 * static_cast<std::size_t>(p.dimension); ++f)
      if (number(p.boundary[f / 2][f % 2]) == kind) {
        faces += " " + std::string(face_names[f]);
        ++count;
      }
    if (count == 0) continue;
    if (count == 2 * p.dimension) return fmt::format("{} on all faces", kinds[kind]);
    text += fmt::format("{}{} on{}", text.empty() ? "" : ", ", kinds[kind], faces);
  }
  return text;
}

std::string describe_assembly(const Config& config, bool gpu) {
  const Assembly chosen = chosen_assembly(config.assembly, config.problem, gpu);
  return fmt::format("{}, {}", name_of(chosen), reason(config.assembly, config.problem, gpu));
}

// Appends the bytes and flops that each assembly mode needs for a row of the product A u. Also appends its predicted
// time on the finest level, for one core or one GPU.
void describe_modes(const Config& config, std::int64_t unknowns, bool gpu, std::vector<std::string>& lines) {
  const Assembly chosen = chosen_assembly(config.assembly, config.problem, gpu);
  const auto rows = 1e3 * static_cast<double>(unknowns);
  lines.push_back(fmt::format("assembly  {}", describe_assembly(config, gpu)));
  lines.push_back(fmt::format("          one product on {:<13} bytes/row  flops/row   predicted: in fp64      in fp32",
                              (gpu ? "an " : "a ") + std::string(device_rate(gpu).name)));
  for (const Prediction& p : predictions(config.problem, gpu))
    lines.push_back(fmt::format("          {} {:<26} {:>9.0f}  {:>9.0f}   {:>15.3g} ms  {:>8.3g} ms",
                                p.assembly == chosen ? "*" : " ", name_of(p.assembly),
                                p.cost.values * static_cast<double>(bytes_of(Precision::fp64)),
                                p.cost.flops + p.cost.wide, rows * p.seconds[1], rows * p.seconds[0]));
}

// Returns κ with an infinite jump as the worst case; none if κ is constant.
std::optional<KappaSummary> jumping_kappa(const Problem& problem) {
  if (std::ranges::all_of(kappa_components(problem), [](const Quantity& q) { return q.constant(); })) return {};
  KappaSummary kappa = known_kappa(problem);
  kappa.jumps.largest = std::numeric_limits<double>::infinity();
  return kappa;
}

// Cell-centred unknowns average the fluxes of two materials in series; control volumes around nodes mix the materials.
std::string describe_hint(const Problem& problem, const Jumps& jumps) {
  constexpr double materials = 3;
  if (problem.scheme != Scheme::fv || problem.centering == Centering::cell || jumps.largest < materials) return {};
  return fmt::format(
      "the coefficient of neighbouring cells differs by a factor of up to {:.3g}; discretization: {{centering: cell}} "
      "is more accurate at material boundaries",
      jumps.largest);
}

// Returns text such as "0.001 to 0.0938 wide (1 : 93.8)". Equal cells from explicit nodes differ by rounding.
std::string describe_widths(const Config& config) {
  const auto [least, widest] = cell_widths(config);
  if (widest <= least * (1 + 1e-6)) return fmt::format("{:.4g} wide", widest);
  return fmt::format("{:.4g} to {:.4g} wide (1 : {:.3g})", least, widest, widest / least);
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

bool asks_for_direct(const Options& options) {
  return options.method == Method::direct || options.preconditioner == PreconditionerChoice::direct;
}

// Returns the requested parts. Throws InputError if they suit neither the processes nor a direct solver.
Parts parts_asked_for(const Config& config, int processes) {
  const Problem& problem = config.problem;
  if (config.blocks.size() < static_cast<std::size_t>(problem.dimension))
    throw InputError(config.describe("backend.blocks") +
                     fmt::format(": these are {} numbers: give one for each of the {} axes", config.blocks.size(),
                                 problem.dimension));
  const Parts parts = given_parts(config, make_block(problem), processes);
  const std::string reason = asks_for_direct(config.options) ? no_direct_preconditioner(problem, parts) : "";
  if (!reason.empty())
    throw InputError(config.describe("backend.blocks") +
                     fmt::format(": a direct solver needs slabs ({}): omit blocks, or use multigrid", reason));
  return parts;
}

// Returns slabs across lines if the solver is direct or is predicted to be direct.
std::optional<Parts> parts_of_direct(const Config& config, const std::shared_ptr<const Processes>& processes) {
  const Problem& problem = config.problem;
  const bool asked = asks_for_direct(config.options);
  if (!asked && config.options.method != Method::automatic) return {};
  const auto parts = direct_parts(problem, known_kappa(problem).mean, processes->count());
  if (!parts && asked)
    throw InputError(
        fmt::format("{} processes cannot share a direct solver (each slab must be at least {} values thick, and axes "
                    "that are not cut have limits): use fewer processes or multigrid",
                    processes->count(), least_part));
  if (!parts || asked) return parts;
  const bool direct =
      make_plan(problem, config.options, config.assembly, false, {}, {processes, *parts}).options.method ==
      Method::direct;
  return direct ? parts : std::nullopt;
}

// Chooses how the processes share the grid. An axis along which a level is relaxed by lines or planes stays uncut if
// another axis can be cut. The finest level has priority, because all processes solve the lines across a cut together.
Sharing shared_by(const Config& config, const std::shared_ptr<const Processes>& processes) {
  if (processes->alone()) return {};
  const Problem& problem = config.problem;
  const int count = processes->count();
  if (!config.blocks.empty()) return in_groups(processes, parts_asked_for(config, count));
  if (const auto parts = parts_of_direct(config, processes)) return {processes, *parts};
  Options options = config.options;
  if (options.method == Method::automatic) options.method = Method::multigrid;
  const Plan plan = make_plan(problem, options, config.assembly, false);
  std::array<bool, 3> finest{}, any{};
  for (const LevelPlan& level : plan.hierarchy)
    for (std::size_t d = 0; d < 3; ++d) {
      const bool along = solved_along(level.smoothed(), static_cast<int>(d));
      finest[d] = finest[d] || (along && &level == &plan.hierarchy.front());
      any[d] = any[d] || along;
    }
  const Parts parts = choose_parts(make_block(problem), count, any);
  for (std::size_t d = 0; d < 3; ++d)
    if (parts[d] > 1 && any[d]) return in_groups(processes, choose_parts(make_block(problem), count, finest));
  return in_groups(processes, parts);
}

class GridCase final : public Case {
 public:
  GridCase(const Config& config, const std::shared_ptr<const Processes>& processes)
      : config_(config),
        problem_(config.problem),
        options_(config.options),
        sharing_(shared_by(config, processes)),
        part_(sharing_.part_of(make_block(config.problem))),
        here_(count_on_machine(*processes)) {}

  void check_values() const override { poisson::check_values(problem_); }
  Plan plan(bool gpu) const override { return make_plan(problem_, options_, config_.assembly, gpu, {}, sharing_); }
  std::vector<std::string> statement() const override {
    return {"problem   " + describe_equation(problem_), "faces     " + describe_boundary(problem_),
            "cells     " + describe_widths(config_)};
  }
  std::vector<std::string> beside_plan(const Plan& smooth, bool gpu) const override {
    const auto jumping = jumping_kappa(problem_);
    if (!jumping) return {};
    const Plan plan = make_plan(problem_, options_, config_.assembly, gpu, jumping, sharing_);
    const std::string then = describe_method(plan.options);
    if (then == describe_method(smooth.options)) return {};
    return {fmt::format("          {} if the coefficient has sharp jumps: {}",
                        readable_bytes(static_cast<double>(plan_of_process(plan, sharing_).most())), then)};
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
      return claim(make_plan(problem, options, config_.assembly, gpu, kappa_, sharing_), problem);
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

  void widen() override {
    options_.precision = SolvePrecision::mixed;
    solver_.reset();
  }

  Solver& make_solver(Backend& backend, Profile* profile) override {
    d_.emplace(backend, problem_, config_.assembly, Sampling::automatic, sharing_);
    if (!std::ranges::all_of(problem_.coefficient, [](const Quantity& k) { return k.constant(); })) check_memory();
    solver_ = poisson::make_solver(*d_, options_, profile);
    return *solver_;
  }
  double sampling_seconds() const override { return d_->sampling_seconds(); }

  double fill() override {
    size_ = d_->assemble_rhs(solver_->rhs());
    d_->initialize(solver_->solution());
    check_exact();
    return size_;
  }

  std::vector<std::string> doubts() const override {
    return describe_idle_data(config_, d_ ? d_->block() : make_block(problem_),
                              !d_ || d_->rhs_sums().total_source() == 0);
  }

  void describe(RunHeader& header, Summary&) const override {
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
    header.assembly = describe_assembly(config_, d_->backend().on_gpu());
    header.hint = describe_hint(problem_, d_->jumps());
    if (!d_->evaluated_on_host().empty()) header.device += "; " + d_->evaluated_on_host();
    if (!d_->stored_kappa().empty())
      header.device += "; the coefficient is stored, assembly partial: " + d_->stored_kappa();
  }

  void observe(Summary& summary) override {
    const Field& u = solver_->solution();
    const SolutionNorms norms = solution_norms(*d_, u);
    const auto place = [&](const std::array<double, 3>& at) {
      return std::vector<double>(at.begin(), at.begin() + problem_.dimension);
    };
    summary.solution = {norms.min, norms.max, norms.integral, norms.l2, place(norms.min_at), place(norms.max_at)};
    if (problem_.exact) {
      const ErrorNorms e = error_norms(*d_, u);
      summary.error = Summary::ErrorNorms{e.max, e.l2};
    }
    for (const auto& point : config_.output.probes) summary.probes.push_back({point, interpolate_at(*d_, u, point)});
    const Balance b = balance(*d_, solver_->A(), u, solver_->rhs(), solver_->spare());
    summary.flux = b.flux;
    summary.balance.source = b.source;
    summary.balance.reaction = b.reaction;
    summary.balance.residual = b.residual;
    // The product A u is rounded in fp32, and so is the residual of each row. The totals give the residual instead.
    if (u.precision() == Precision::fp32)
      summary.balance.residual = summary.balance.projected - summary.balance.extrapolated.value_or(0) + b.reaction -
                                 b.source - std::accumulate(b.flux.begin(), b.flux.end(), 0.0);
    summary.balance.flow = throughput(b);
    // If all totals are rounding errors, as between Neumann faces, the magnitude of the data is the reference.
    if (summary.balance.flow < 1e-10 * size_) summary.balance.flow = size_;
  }

  OutputGrid output_grid() const override {
    OutputGrid grid;
    grid.dimension = problem_.dimension;
    grid.equidistant = config_.equidistant;
    grid.nodes = problem_.nodes;
    if (grid.dimension == 2) grid.nodes[2] = {0.0};
    if (!sharing_.processes->alone()) grid.part = shown_places(part_, Location::cell);
    return grid;
  }
  std::vector<std::vector<int>> cuts() const override {
    if (!part_.share) return {};
    const auto& first = part_.share->cuts.first;
    return {first.begin(), first.begin() + problem_.dimension};
  }
  const Sharing& sharing() const override { return sharing_; }
  Pieces field(const FieldChoice& choice) override { return choice.of_grid(*d_, *solver_); }

 private:
  // Checks the exact solution before the solve, so that a value that is not finite cannot waste the work.
  void check_exact() const {
    if (!problem_.exact) return;
    try {
      error_norms(*d_, solver_->solution());
    } catch (const ValueError& error) {
      throw ValueErrors(std::vector{error});
    }
  }

  // Checks the memory again with the sampled κ, which may need more levels in memory than a smooth κ.
  void check_memory() {
    const Backend& backend = d_->backend();
    kappa_ = KappaSummary{d_->rows().kappa, d_->jumps()};
    const Plan found = make_plan(problem_, options_, config_.assembly, backend.on_gpu(), kappa_, sharing_);
    require_memory(config_, *this, backend, found, here_, static_cast<double>(d_->bytes()));
  }

  const Config& config_;
  const Problem& problem_;
  Options options_;
  Sharing sharing_;
  Block part_;                         ///< the sub-block of this process
  int here_;                           ///< processes on this machine
  std::optional<KappaSummary> kappa_;  ///< known after sampling
  std::optional<Discretization> d_;
  std::unique_ptr<Solver> solver_;
  double size_ = 0;  // Σ|b|
};

}  // namespace

std::unique_ptr<Case> make_grid_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<GridCase>(config, processes);
}

}  // namespace poisson
