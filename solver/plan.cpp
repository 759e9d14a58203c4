#include "solver/plan.hpp"

#include <algorithm>

#include "grids/faces.hpp"

namespace poisson {
namespace {

// Of a value on an axis, the tables of two operators, of a transfer and of what evaluates data on a device hold less
// than 320 bytes; the coarsest level's inverse, scalars, partial sums, and the rounding of blocks fit into the
// constant.
std::size_t bytes_of_tables(const Layout& layout) {
  return 320 * static_cast<std::size_t>(layout.n[0] + layout.n[1] + layout.n[2]) + (std::size_t{192} << 10);
}

}  // namespace

Plan make_plan(const Problem& problem, const Options& given, Assembly assembly, bool gpu) {
  // A jump of κ is not known before κ is sampled; what it changes (the smoother) does not change the fields.
  const Options options = given.resolved(1);
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  const Precision inner = options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  const bool multigrid = options.method == Method::multigrid;
  const auto bytes = [](const Layout& layout, Precision p) {
    return static_cast<std::size_t>(layout.allocated(p)) * bytes_of(p);
  };

  const bool variable = assembly == Assembly::partial || !is_separable(problem);
  const bool recomputes = assembly == Assembly::recompute && gpu && variable && recomputable(problem);
  const bool on_faces = problem.centering == Centering::cell;
  const std::size_t kappas = !variable                        ? 0
                             : problem.isotropic && !on_faces ? 1
                                                              : static_cast<std::size_t>(problem.dimension);
  const std::size_t reactions = variable && needs_reaction_field(problem) ? 1 : 0;
  std::array<double, 3> kappa{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d)
    if (const double* k = problem.coefficient[problem.isotropic ? 0 : d].constant()) kappa[d] = *k;

  const auto coefficients = [&](const Block& block, Precision p) {
    return kappas * bytes(block.cell_layout(), p) + reactions * bytes(block.layout(), p);
  };
  Plan plan;
  // The levels of the problem, or of the planes across an axis, from a block on.
  const auto add_levels = [&](const auto& self, Block block, RelaxationChoice allowed, int planes) -> void {
    std::array<bool, 3> coupled{true, true, true};
    if (planes >= 0) coupled[static_cast<std::size_t>(planes)] = false;
    const bool outermost = planes < 0;
    for (int l = 0;; ++l) {
      const Layout layout = block.layout();
      Plan::Level level;
      for (std::size_t d = 0; d < 3; ++d) level.cells[d] = block.axes[d].cells();
      level.unknowns = block.unknowns().size();
      // The finest level has them in fp64 as they were sampled, each level's own operator in the inner precision.
      const bool sampled = l == 0 ? outermost : inner == Precision::fp64;
      level.bytes = sampled ? coefficients(block, Precision::fp64) : 0;
      for (std::size_t d = 0; d < 3 && l == 0 && outermost && variable && on_faces; ++d)
        if (problem.boundary[d][0].kind == BoundaryKind::robin || problem.boundary[d][1].kind == BoundaryKind::robin)
          level.bytes += static_cast<int>(d) < problem.dimension ? bytes(ends_layout(block, d), Precision::fp64) : 0;
      const LevelChoice choice = multigrid ? choose_relaxation(block, kappa, allowed, coupled) : LevelChoice{};
      level.relaxation = choice.relaxation;
      const bool recomputed = recomputes && l == 0 && outermost && choice.relaxation.extent == Extent::point;
      level.assembly = recomputed                         ? "recompute"
                       : variable                         ? "partial"
                       : block.equidistant() && outermost ? "equidistant"
                                                          : "tensor-product";
      if (inner == Precision::fp32)
        level.bytes += recomputed ? reactions * bytes(block.layout(), inner) : coefficients(block, inner);
      // Multigrid: b, u, v (no v on the coarsest), and on coarser levels the solution of full multigrid. Else: e and r.
      const bool start = l > 0 && outermost && options.full_multigrid;
      const std::size_t fields = multigrid ? (choice.coarsest() ? 2 : 3) + (start ? 1 : 0) : std::size_t{2};
      level.bytes += fields * bytes(layout, inner);
      if (l == 0 && outermost)
        level.bytes += (options.krylov == Krylov::cg ? 6 : 3) * bytes(layout, outer);  // u, b, best; r, p, q
      plan.tables += bytes_of_tables(layout);
      if (outermost) plan.levels.push_back(level);
      plan.bytes += level.bytes;
      if (!outermost) plan.levels.back().bytes += level.bytes;
      if (choice.coarsest()) return;
      if (choice.relaxation.extent == Extent::plane)
        self(self, block, RelaxationChoice::automatic, choice.relaxation.axis);
      block = coarsen(block, choice.coarsened, l).block;
    }
  };
  add_levels(add_levels, make_block(problem), *options.smoother.extent, -1);
  return plan;
}

}  // namespace poisson
