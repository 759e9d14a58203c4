#include "app/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "app/memory.hpp"
#include "backends/device.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/elements/elements.hpp"
#include "solver/ladder/ladder.hpp"
#include "solver/matrix.hpp"
#include "solver/plan.hpp"
#include "solver/smoothers/smoother.hpp"

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
  constexpr std::array kinds{"Dirichlet", "Neumann", "Robin", "periodic"};
  std::string text;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::string faces;
    int count = 0;
    for (std::size_t f = 0; f < 2 * static_cast<std::size_t>(p.dimension); ++f)
      if (static_cast<std::size_t>(p.boundary[f / 2][f % 2].kind) == kind) {
        faces += " " + std::string(face_names[f]);
        ++count;
      }
    if (count == 0) continue;
    if (count == 2 * p.dimension) return fmt::format("{} on all faces", kinds[kind]);
    text += fmt::format("{}{} on{}", text.empty() ? "" : ", ", kinds[kind], faces);
  }
  return text;
}

std::string describe_relaxation(Relaxation r) {
  constexpr std::array axes{"x", "y", "z"};
  const char* axis = axes[static_cast<std::size_t>(r.axis)];
  switch (r.extent) {
    case Extent::point:
      break;
    case Extent::line:
      return fmt::format("lines along {}", axis);
    case Extent::plane:
      return fmt::format("planes across {}", axis);
  }
  return "points";
}

std::string cells_text(const std::array<int, 3>& cells, int dimension) {
  return dimension == 3 ? fmt::format("{} x {} x {}", cells[0], cells[1], cells[2])
                        : fmt::format("{} x {}", cells[0], cells[1]);
}

std::string describe_assembly(const Config& config, bool gpu) {
  const Assembly chosen = resolved(config.assembly, config.problem, gpu);
  return fmt::format("{}, {}", name_of(chosen), reason(config.assembly, config.problem, gpu));
}

// What each mode moves and computes in a row of the product A u, and what that takes on the finest level, predicted for
// one core or one GPU.
void describe_modes(const Config& config, std::int64_t unknowns, bool gpu, std::vector<std::string>& lines) {
  const Assembly chosen = resolved(config.assembly, config.problem, gpu);
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

// The coefficient if it jumps as far as can be; none where it is constant.
std::optional<KappaSummary> jumping_kappa(const Config& config) {
  if (config.matrix ||
      std::ranges::all_of(kappa_components(config.problem), [](const Quantity& q) { return q.constant(); }))
    return {};
  KappaSummary kappa = known_kappa(config.problem);
  kappa.jumps.largest = std::numeric_limits<double>::infinity();
  return kappa;
}

// "h = 25, q = 1000"
std::string describe_parameters(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += (text.empty() ? "" : ", ") + fmt::format("{} = {:.6g}", name, value);
  return text;
}

// Where materials meet, unknowns in cells take fluxes through both in series, and volumes around nodes mix them.
std::string describe_hint(const Problem& problem, const Jumps& jumps) {
  constexpr double materials = 3;
  if (problem.scheme != Scheme::fv || problem.centering == Centering::cell || jumps.largest < materials) return {};
  return fmt::format(
      "the coefficient of neighbouring cells differs by a factor of up to {:.3g}; where materials meet, "
      "discretization: {{centering: cell}} is more accurate",
      jumps.largest);
}

// "0.001 to 0.0938 wide (1 : 93.8)". Explicit nodes of equal cells differ in rounding.
std::string describe_widths(const Config& config) {
  const auto [least, widest] = cell_widths(config);
  if (widest <= least * (1 + 1e-6)) return fmt::format("{:.4g} wide", widest);
  return fmt::format("{:.4g} to {:.4g} wide (1 : {:.3g})", least, widest, widest / least);
}

}  // namespace

std::string method_name(const Options& options) {
  switch (options.method) {
    case Method::jacobi:
      return "jacobi";
    case Method::cg:
      return "cg";
    case Method::automatic:
    case Method::multigrid:
      break;
  }
  return "multigrid";
}

std::string describe_method(const Options& o) {
  std::string text;
  if (o.method == Method::multigrid) {
    constexpr std::array cycles{'V', 'W', 'F'};
    text = fmt::format("multigrid {}({},{}), {}", cycles[static_cast<std::size_t>(o.cycle)], *o.smoother.pre,
                       *o.smoother.post, o.smoother.kind->describe(o.smoother));
    if (o.coarse_operator == CoarseOperator::galerkin) text += ", Galerkin coarse operators";
    if (o.full_multigrid) text += ", full multigrid";
    if (o.krylov == Krylov::cg) text += ", conjugate gradients";
  } else if (o.method == Method::cg) {
    text = "conjugate gradients with diagonal scaling";
  } else {
    text = o.smoother.kind->describe(o.smoother);
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
    if (config.equidistant)  // without the rounding of nodes
      count((nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1));
    else
      for (std::size_t i = 1; i < nodes.size(); ++i) count(nodes[i] - nodes[i - 1]);
  }
  return {least, widest};
}

RunHeader describe_run(const Config& config, const Discretization& d, const Solver& solver, const Summary& summary) {
  RunHeader header;
  header.title = config.title;
  header.version = summary.version;
  header.problem = describe_equation(config.problem);
  header.boundary = describe_boundary(config.problem);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(config.problem.dimension); ++axis) {
    const auto& nodes = config.problem.nodes[axis];
    header.cells.push_back(static_cast<std::int64_t>(nodes.size()) - 1);
    header.lower[axis] = nodes.front();
    header.upper[axis] = nodes.back();
  }
  header.equidistant = config.equidistant;
  header.widths = describe_widths(config);
  header.parameters = describe_parameters(config.parameters);
  header.unknowns = summary.unknowns;
  header.levels = summary.levels;
  header.method = describe_method(solver.options());
  header.assembly = describe_assembly(config, d.backend().name() != "cpu");
  header.device = summary.device;
  header.memory_bytes = static_cast<std::int64_t>(d.backend().memory().peak());
  header.hint = describe_hint(config.problem, d.jumps());
  return header;
}

std::vector<std::string> describe_plan(const Config& config) {
  const auto backend = make_backend(config.device);
  const bool gpu = backend->name() != "cpu";
  const Plan plan = config.matrix ? make_plan(*config.matrix, config.options, gpu)
                                  : make_plan(config.problem, config.options, config.assembly, gpu);
  std::vector<std::string> lines;
  if (!config.parameters.empty()) lines.push_back("with      " + describe_parameters(config.parameters));
  if (config.matrix) {
    lines.emplace_back("problem   A u = b, a matrix from a file");
  } else {
    lines.push_back(fmt::format("problem   {}", describe_equation(config.problem)));
    lines.push_back(fmt::format("faces     {}", describe_boundary(config.problem)));
    lines.push_back(fmt::format("cells     {}", describe_widths(config)));
  }
  const std::string method = describe_method(config.matrix ? resolved(config.options, *config.matrix)
                                                           : resolved(config.options, config.problem));
  lines.push_back(fmt::format("method    {}", method));
  lines.push_back(fmt::format("device    {}", backend->device()));
  lines.push_back(fmt::format("memory    {} = {:.1f} bytes per unknown",
                              readable_bytes(static_cast<double>(plan.bytes)), plan.bytes_per_unknown()));
  lines.push_back("          " + describe_fit(config, plan.most(), *backend));
  if (const auto jumping = jumping_kappa(config)) {
    const std::string then = describe_method(resolved(config.options, config.problem, jumping));
    if (then != method) {
      const std::size_t bytes = make_plan(config.problem, config.options, config.assembly, gpu, jumping).most();
      lines.push_back(fmt::format("          {} where the coefficient jumps far: {}",
                                  readable_bytes(static_cast<double>(bytes)), then));
    }
  }
  if (config.options.fallback && config.options.tolerance > 0 && config.options.method != Method::cg &&
      config.options.method != Method::jacobi && config.options.precision != SolvePrecision::single) {
    const bool box = config.matrix || on_elements(config.problem.scheme);
    lines.push_back(
        fmt::format("          {} more on the host where multigrid fails (solver.fallback), up to half of it "
                    "where a factorization pays",
                    readable_bytes(static_cast<double>(bytes_of_aggregates(plan.levels.front().unknowns, box)))));
  }
  if (!config.matrix) describe_modes(config, plan.levels.front().unknowns, gpu, lines);
  lines.emplace_back();
  // Bytes, flops and time of one product A u, by counting, for one core or one GPU of a kind (assembly.hpp).
  lines.emplace_back(
      "level             cells      unknowns    assembly        relaxes               memory  bytes/row  flops/row   "
      "predicted");
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const Plan::Level& level = plan.levels[l];
    lines.push_back(fmt::format("{:5} {:>17} {:>13}    {:<15} {:<15} {:>12} {:>10.0f} {:>10.0f} {:>8.3g} ms", l,
                                cells_text(level.cells, config.problem.dimension), level.unknowns, level.assembly,
                                describe_relaxation(level.relaxation), readable_bytes(static_cast<double>(level.bytes)),
                                level.row_bytes, level.row_flops, 1e3 * level.seconds));
  }
  return lines;
}

std::string describe_incompatibility(double projected, double b_norm) {
  return fmt::format(
      "the data are not compatible: source and boundary data sum to {:.3g}, {:.2g} of their absolute sum (without "
      "Dirichlet or Robin faces and without a reaction they must balance); the mean was taken off. Check the signs of "
      "equation.source and of the Neumann values",
      projected, std::abs(projected) / b_norm);
}

}  // namespace poisson
