#include "app/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/memory.hpp"
#include "backends/device/device.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "grids/sampling/only_value.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/row_scheme.hpp"
#include "solver/fallbacks/cost.hpp"
#include "solver/fallbacks/fallback_chain.hpp"
#include "solver/jacobi.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

std::string describe_relaxation(Relaxation r) {
  constexpr std::array axes{"x", "y", "z"};
  const char* axis = axes[static_cast<std::size_t>(r.axis)];
  switch (r.extent) {
    case Extent::point:
      break;
    case Extent::line:
      return fmt::format("lines along {}", axis);
    case Extent::alternating_lines:
      return "lines along each axis";
    case Extent::plane:
      return fmt::format("planes across {}", axis);
  }
  return "points";
}

// Returns text such as "levels 0 to 3 in these sub-blocks, 4 in the sub-blocks of 2 groups of 2 processes, 5 to 8 on
// every process".
std::string describe_sharing(const Plan& own, const Sharing& sharing) {
  std::string text;
  int first = 0;
  const auto add = [&](int levels, const std::string& where) {
    if (levels == 0) return;
    const int last = first + levels - 1;
    text += (text.empty() ? "levels " : ", ") +
            (first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last)) + where;
    first += levels;
  };
  add(own.in_parts, " in these sub-blocks");
  if (sharing.groups)
    add(own.in_groups, fmt::format(" in the sub-blocks of {} groups of {} processes", sharing.groups->count(),
                                   sharing.processes->count() / sharing.groups->count()));
  add(static_cast<int>(own.levels.size()) - first, " on every process");
  return text;
}

std::string cells_text(const std::array<int, 3>& cells, int dimension) {
  return dimension == 3 ? fmt::format("{} x {} x {}", cells[0], cells[1], cells[2])
                        : fmt::format("{} x {}", cells[0], cells[1]);
}

}  // namespace

std::string describe_processes(const Sharing& sharing) {
  if (sharing.processes->alone()) return "";
  if (sharing.parts == uncut_axes) return fmt::format("{}, rows partitioned", sharing.processes->count());
  return fmt::format("{}, grid cut into {} sub-blocks", sharing.processes->count(), fmt::join(sharing.parts, " x "));
}

std::string describe_ways(const std::vector<TransportWay>& ways) {
  if (ways.empty()) return "";
  if (ways[0].words.empty())
    return ways[0].transport == Transport::automatic
               ? ""
               : fmt::format("by messages, because backend.transport: {} requires GPUs", name_of(ways[0].transport));
  const auto time = [](const TransportWay& way) { return fmt::format("{:.3g} µs", 1e6 * way.seconds()); };
  std::string text = fmt::format("{}; {}² values take {}", ways[0].words, TransportSpeed::many, time(ways[0]));
  for (const TransportWay& way : ways | std::views::drop(1))
    text += fmt::format("; not {}: {}", name_of(way.transport), way.can_be_had() ? time(way) : way.obstacle);
  return text;
}

std::string describe_parameters(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += (text.empty() ? "" : ", ") + fmt::format("{} = {:.6g}", name, value);
  return text;
}

std::string method_name(const Options& options) {
  switch (options.method) {
    case Method::jacobi:
      return "jacobi";
    case Method::cg:
      return "cg";
    case Method::direct:
      return "direct";
    case Method::automatic:
    case Method::multigrid:
      break;
  }
  return "multigrid";
}

std::string describe_method(const Options& o) {
  std::string text;
  if (o.amg == Amg::hypre) {
    text = "conjugate gradients preconditioned by BoomerAMG of hypre, refined in 64 bits";
  } else if (o.method == Method::multigrid) {
    constexpr std::array cycles{"V", "W", "F", "W or V"};
    text = fmt::format("multigrid {}({},{}), {}", cycles[static_cast<std::size_t>(o.cycle)], *o.smoother.pre,
                       *o.smoother.post, o.smoother.kind->describe(o.smoother));
    if (o.coarse_operator == CoarseOperator::galerkin) text += ", Galerkin coarse operators";
    if (o.full_multigrid) text += ", full multigrid";
    if (o.krylov == Krylov::cg) text += ", conjugate gradients";
    if (o.krylov == Krylov::bicgstab) text += ", BiCGStab";
  } else if (o.method == Method::cg) {
    text = o.preconditioner == PreconditionerChoice::direct
               ? "conjugate gradients preconditioned by a direct solver with mean coefficients"
           : o.krylov == Krylov::bicgstab ? "BiCGStab with diagonal scaling"
                                          : "conjugate gradients with diagonal scaling";
  } else if (o.method == Method::direct) {
    text = "direct, by diagonalization along the axes";
  } else {
    text = fmt::format("{}, {} sweeps per iteration", o.smoother.kind->describe(o.smoother), JacobiSweeps::sweeps);
  }
  if (o.extrapolate) text += ", extrapolated";
  constexpr std::array precisions{"double", "mixed", "single"};
  return text + fmt::format(", {} precision", precisions[static_cast<std::size_t>(o.precision)]);
}

std::pair<double, double> cell_widths(const Config& config) {
  double least = std::numeric_limits<double>::infinity(), widest = 0;
  const auto count = [&](double width) {
    least = std::min(least, width);
    widest = std::max(widest, width);
  };
  for (const auto& nodes : config.problem.nodes) {
    if (nodes.size() < 2) continue;
    if (config.equidistant)  // avoids the rounding of the nodes
      count((nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1));
    else
      for (std::size_t i = 1; i < nodes.size(); ++i) count(nodes[i] - nodes[i - 1]);
  }
  return {least, widest};
}

std::string describe_fallback(const Config& config, const Plan::Level& finest, bool on_boxes, int processes) {
  std::array<int, 3> n{};
  for (std::size_t d = 0; d < 3; ++d) n[d] = std::max(1, finest.cells[d]);
  const FallbackCost cost = cost_of_algebraic_multigrid({n, {}, on_boxes}, measure_host_speed());
  const bool refused = config.options.fallback == Fallback::automatic && cost.seconds() > most_fallback_seconds;
  return fmt::format(
      "{}{} and about {} more if multigrid fails{}; a factorization may use up to half of the host's "
      "memory",
      readable_bytes(static_cast<double>(bytes_of_algebraic_multigrid(finest.unknowns, on_boxes))),
      processes == 1 ? "" : " per process", cost.time_text(),
      refused ? ", too slow for solver.fallback: auto" : " (solver.fallback)");
}

std::vector<std::string> describe_plan(const Config& config, const Case& work, const Backend& backend, int processes,
                                       int here) {
  const bool gpu = backend.on_gpu();
  const Plan& plan = work.plan(gpu);
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<std::string>& more) { lines.insert(lines.end(), more.begin(), more.end()); };
  if (!config.parameters.empty()) lines.push_back("with      " + describe_parameters(config.parameters));
  add(work.statement());
  lines.push_back(fmt::format("method    {}", describe_method(plan.options)));
  if (!plan.choice.empty()) lines.push_back("          " + plan.choice);
  lines.push_back(fmt::format("device    {}", backend.device()));
  const auto readable = [](std::size_t bytes) { return readable_bytes(static_cast<double>(bytes)); };
  if (processes == 1) {
    lines.push_back(
        fmt::format("memory    {} = {:.1f} bytes per unknown", readable(plan.bytes), plan.bytes_per_unknown()));
  } else {
    lines.push_back("processes " + describe_processes(work.sharing()));
    lines.push_back("          " + describe_sharing(plan, work.sharing()));
    const std::string mailbox =
        plan.mailbox == 0 ? "" : fmt::format(", {} for GPU exchange buffers", readable(plan.mailbox));
    lines.push_back(fmt::format("memory    {} per process at most, {} of it for levels replicated on every process{}",
                                readable(plan.bytes + plan.mailbox), readable(plan.whole), mailbox));
  }
  if (plan.setup > 0) lines.push_back(fmt::format("          {} more at the peak of set-up", readable(plan.setup)));
  if (plan.floating > 0)
    lines.push_back(fmt::format("          {} more for floating bodies, after set-up", readable(plan.floating)));
  lines.push_back("          " + describe_fit(config, work, plan, backend, here));
  add(work.beside_plan(plan, gpu));
  if (config.options.fallback != Fallback::never && config.options.tolerance > 0 &&
      plan.options.method == Method::multigrid && config.options.precision != SolvePrecision::single)
    lines.push_back("          " + describe_fallback(config, plan.levels.front(), work.on_boxes(), processes));
  if (config.mesh || config.rows) return lines;
  add(work.assembly(plan.levels.front().unknowns, gpu));
  lines.emplace_back();
  // The table predicts bytes, flops and time of one product A u for one core or one GPU of this kind (assembly.hpp).
  lines.emplace_back(
      "level             cells      unknowns    assembly        relaxes               memory  bytes/row  flops/row   "
      "predicted");
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const Plan::Level& level = plan.levels[l];
    lines.push_back(fmt::format("{:5} {:>17} {:>13}    {:<15} {:<15} {:>12} {:>10.0f} {:>10.0f} {:>8.3g} ms", l,
                                cells_text(level.cells, config.problem.dimension), level.unknowns, level.assembly,
                                describe_relaxation(level.relaxation), readable(level.bytes), level.row_bytes,
                                level.row_flops, 1e3 * level.seconds));
  }
  return lines;
}

std::vector<std::string> describe_empty_parts(const Config& config) {
  std::vector<std::string> warnings;
  const Problem& problem = config.problem;
  for_each_face(problem, [&](int axis, int end, const Boundary& face) {
    if (!face.mixed_bc) return;
    std::array<std::vector<double>, 3> centres{{{0.0}, {0.0}, {0.0}}};
    for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
      const std::vector<double>& nodes = problem.nodes[d];
      if (d == static_cast<std::size_t>(axis)) {
        centres[d] = {end == 0 ? nodes.front() : nodes.back()};
        continue;
      }
      centres[d].clear();
      for (std::size_t i = 1; i < nodes.size(); ++i) centres[d].push_back(std::midpoint(nodes[i - 1], nodes[i]));
    }
    const std::string name(face_names[static_cast<std::size_t>(2 * axis + end)]);
    for (const std::size_t part : parts_without_points(face, centres))
      if (part + 1 < parts_of(face).size())
        warnings.push_back(
            fmt::format("{}[{}] covers no cell of the face: its where is 0 at all cell centres, or earlier parts cover "
                        "them. A finer grid may resolve a small part",
                        config.describe("boundary." + name), part));
  });
  return warnings;
}

namespace {

// Returns the value of an expression if it is the same at all sample points; none if it varies or is not an expression.
std::optional<double> idle_value(const Quantity& quantity, const Problem& problem, const Block& block) {
  const SampleGrid grid{block, row_scheme(problem).cell_points(problem)};
  const std::optional<double> cells = only_value(quantity, grid, Location::cell);
  if (!cells || block.location() == Location::cell) return cells;
  const std::optional<double> nodes = only_value(quantity, grid, Location::node);
  return nodes == cells ? cells : std::nullopt;
}

// Returns text such as "x 0 to 1, y 0 to 2".
std::string describe_box(const Problem& problem) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
    text += fmt::format("{}{} {:g} to {:g}", d == 0 ? "" : ", ", "xyz"[d], problem.nodes[d].front(),
                        problem.nodes[d].back());
  return text;
}

}  // namespace

std::vector<std::string> describe_idle_data(const Config& config, const Block& block, bool source) {
  const Problem& problem = config.problem;
  std::vector<std::string> warnings;
  const auto look_at = [&](const Quantity& quantity, const std::string& key) {
    if (const auto value = idle_value(quantity, problem, block))
      warnings.push_back(
          fmt::format("{} uses x, y or z but never varies: it is {:g} on the whole grid ({}). Check the units of its "
                      "lengths; a finer grid may resolve a small part",
                      config.describe(key), *value, describe_box(problem)));
  };
  for (std::size_t d = 0; d < coefficient_count(problem) && !problem.media; ++d)
    look_at(problem.coefficient[d], coefficient_key(problem, d));
  for (std::size_t m = 0; m < offdiagonal_count(problem); ++m) look_at(problem.offdiagonal[m], offdiagonal_key(m));
  if (!problem.media) look_at(problem.reaction, "reaction");
  if (source && idle_value(problem.source, problem, block) == 0)
    warnings.push_back(
        fmt::format("{} is 0 on the whole grid ({}): the source covers no cell. Check the units of its lengths; a "
                    "finer grid may resolve a small source",
                    config.describe("source"), describe_box(problem)));
  return warnings;
}

std::string describe_imbalance(const Summary& summary, const Options& options) {
  constexpr double times = 1000, rounding = 1e-9;
  const double relative = summary.balance.relative(), least = summary.solution.min, most = summary.solution.max;
  if (most - least <= rounding * std::max(std::abs(least), std::abs(most))) return {};  // flows are rounding
  if (!summary.converged || !(relative > std::max(times * options.tolerance, rounding))) return {};
  return fmt::format(
      "the flows do not balance although the run converged: the balance has a residual of {:.3g}, {:.2g} of the "
      "throughput. Fluxes are no more accurate than that; use {}",
      summary.balance.residual, relative,
      options.precision == SolvePrecision::single ? "precision: mixed" : "a smaller solver.tolerance");
}

std::string describe_incompatibility(double projected, double b_norm) {
  return fmt::format(
      "the data are incompatible: source and boundary data sum to {:.3g}, {:.2g} of their absolute sum (without "
      "Dirichlet or Robin faces and without a reaction they must balance); the mean was subtracted. Check the signs of "
      "equation.source and of the Neumann values",
      projected, std::abs(projected) / b_norm);
}

}  // namespace poisson
