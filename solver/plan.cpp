#include "solver/plan.hpp"

#include <algorithm>

namespace poisson {
namespace {

// Of a value on an axis, the tables of two operators, of a transfer and of what evaluates data on a device hold less
// than 320 bytes; the coarsest level's inverse, scalars, partial sums, and the rounding of blocks fit into the constant.
std::size_t bytes_of_tables(const Layout& layout) {
  return 320 * static_cast<std::size_t>(layout.n[0] + layout.n[1] + layout.n[2]) + (std::size_t{192} << 10);
}

}  // namespace

Plan make_plan(const Problem& problem, const Options& given, bool partial_assembly) {
  // A jump of κ is not known before κ is sampled; what it changes (the smoother) does not change the fields.
  const Options options = given.resolved(1);
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  const Precision inner = options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  const bool multigrid = options.method == Method::multigrid;
  const auto bytes = [](const Layout& layout, Precision p) {
    return static_cast<std::size_t>(layout.allocated(p)) * bytes_of(p);
  };

  const bool variable = partial_assembly || !is_separable(problem);
  const std::size_t kappas = !variable ? 0 : problem.isotropic ? 1 : static_cast<std::size_t>(problem.dimension);
  const std::size_t reactions = variable && needs_reaction_field(problem) ? 1 : 0;
  std::array<double, 3> kappa{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d)
    if (const double* k = problem.coefficient[problem.isotropic ? 0 : d].constant()) kappa[d] = *k;

  Plan plan;
  Block block = make_block(problem);
  for (int l = 0;; ++l) {
    const Layout layout = block.layout(), cells = block.cell_layout();
    Plan::Level level;
    for (std::size_t d = 0; d < 3; ++d) level.cells[d] = block.axes[d].cells();
    level.unknowns = block.unknowns().size();
    level.assembly = variable ? "partial" : block.equidistant() ? "equidistant" : "tensor-product";
    const auto coefficients = [&](Precision p) { return kappas * bytes(cells, p) + reactions * bytes(layout, p); };
    // The finest level has them in fp64 as they were sampled, each level's own operator in the inner precision.
    level.bytes = l == 0 || inner == Precision::fp64 ? coefficients(Precision::fp64) : 0;
    if (inner == Precision::fp32) level.bytes += coefficients(inner);
    const auto coarse = multigrid ? coarsen(block, kappa, l) : std::nullopt;
    // Multigrid: b, u, v (no v on the coarsest), and on coarser levels the solution of full multigrid. Else: e and r.
    const std::size_t fields =
        multigrid ? (coarse ? 3 : 2) + (l > 0 && options.full_multigrid ? 1 : 0) : std::size_t{2};
    level.bytes += fields * bytes(layout, inner);
    if (l == 0) level.bytes += (options.krylov == Krylov::cg ? 6 : 3) * bytes(layout, outer);  // u, b, best; r, p, q
    plan.bytes += level.bytes;
    plan.tables += bytes_of_tables(layout);
    plan.levels.push_back(level);
    if (!coarse) return plan;
    block = coarse->block;
  }
}

}  // namespace poisson
