// This file resolves `auto` in the options once the coefficient is known.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "grids/problem/media.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/strong_bodies.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/cells/media_rows.hpp"
#include "grids/schemes/row_scheme.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/galerkin_choice.hpp"
#include "solver/plan.hpp"

namespace poisson {
namespace {

struct Widths {
  double least, most;
};
Widths widths_of(const Axis& axis) {
  Widths w{axis.width(0), axis.width(0)};
  for (int i = 1; i < axis.cells(); ++i) w = {std::min(w.least, axis.width(i)), std::max(w.most, axis.width(i))};
  return w;
}

// Counts the axes whose cells differ by more than a factor of 2.
std::ptrdiff_t stretched_axes(const Block& block) {
  return std::ranges::count_if(block.axes, [](const Axis& axis) {
    const Widths w = widths_of(axis);
    return w.most > 2 * w.least;
  });
}

// Below this ratio of the rounding of lines to the terms that determine their mean, cycles converge as in double
// precision. From 1/40 on, the means of lines on a GPU converge long after the residual. They diverge there from 1/10
// on, and on a CPU from 1/4 on.
constexpr double tolerable_rounding = 1.0 / 64;

// Returns whether lines along an axis are singular in single precision: they have no Dirichlet ends, and the rounding
// of their couplings rivals the terms that determine their mean (σ, α, and couplings across on the coarsest level).
bool singular_in_single(const Problem& problem, const Block& block, const std::array<double, 3>& kappa) {
  const auto dimension = static_cast<std::size_t>(problem.dimension);
  const auto length = [&](std::size_t d) { return block.axes[d].nodes().back() - block.axes[d].nodes().front(); };
  const auto known = [](const Quantity& q) { return q.constant() ? *q.constant() : 0.0; };
  for (std::size_t d = 0; d < dimension; ++d) {
    const Axis& axis = block.axes[d];
    double restoring = known(problem.reaction) * length(d);
    bool open = true;
    for (const Boundary& face : problem.boundary[d]) {
      open = open && face.kind != BoundaryKind::dirichlet;
      if (face.kind == BoundaryKind::robin) restoring += known(face.alpha);
    }
    for (std::size_t e = 0; e < dimension; ++e)
      if (e != d) restoring += 4 * kappa[e] * length(d) / (length(e) * length(e));
    const double rounding = std::numeric_limits<float>::epsilon() / 2 * kappa[d] / widths_of(axis).least;
    if (open && rounding > tolerable_rounding * restoring) return true;
  }
  return false;
}

}  // namespace

KappaSummary known_kappa(const Problem& problem) {
  KappaSummary kappa;
  for (std::size_t d = 0; d < 3; ++d)
    if (const double* k = problem.coefficient[problem.isotropic ? 0 : d].constant()) kappa.mean[d] = *k;
  return kappa;
}

namespace {

// From this jump of κ on, lines on Galerkin levels take less time than lines and planes on rediscretized levels
// (docs/design/coarse-operators.md).
constexpr double lines_jump = 10;

// From this jump of κ at averaged surfaces of bodies on, Galerkin levels and W-cycles halve the iterations, whatever
// the number of bodies (docs/design/materials.md).
constexpr double jump_of_bodies = 10;

// From this jump of κ between the voxels of an image in space on, Galerkin levels take less time, and at most half of
// the iterations.
constexpr double jump_of_voxels = 50;

// Returns whether κ jumps between voxels or cells of staircases, of which few may do so.
bool has_steep_voxels(const Problem& problem, const Jumps& jumps) {
  return problem.media && problem.dimension == 3 && jumps.largest >= jump_of_voxels;
}

// Rediscretized elements in space serve ranges up to this one: their Galerkin products cost more than they save.
constexpr double wide_range_of_elements = 1e6;

// Beyond this ratio of widths in space, levels that coarsen the strong axes first are better than Galerkin operators,
// which coarsen all axes.
constexpr double widest_of_round_cells = 8;

// Returns whether Galerkin levels reduce the time for κ that varies widely.
bool galerkin_serves_range(const Problem& problem, const Jumps& jumps, const Block& block) {
  if (!varies_widely(jumps, block)) return false;
  if (block.dimension() == 2) return true;
  if (problem.scheme == Scheme::q1 && jumps.range < wide_range_of_elements) return false;
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const Axis& axis : block.axes) {
    const Widths w = widths_of(axis);
    least = std::min(least, w.least);
    most = std::max(most, w.most);
  }
  return most <= widest_of_round_cells * least;
}

// Like `lines_jump`, if one axis is strong everywhere, as in flat cells.
constexpr double uniform_lines_jump = 1e3;

// Returns whether multigrid may relax lines on Galerkin levels: the options request them, or request nothing.
bool may_relax_lines(const Options& given) {
  const SmootherOptions& s = given.smoother;
  if (given.method != Method::multigrid && given.method != Method::automatic) return false;
  if (given.coarse_operator == CoarseOperator::galerkin) return s.extent == RelaxationChoice::lines;
  return given.coarse_operator == CoarseOperator::automatic && !s.kind && !s.extent;
}

// From this share of cells on, an axis whose couplings are weaker than those of both others needs lines.
constexpr double some_weak_cells = 0.02;

Imbalance imbalance_in(const KappaSummary& kappa, const Block& block) {
  return kappa.jumps.imbalance.value_or(imbalance_of(block, kappa.mean));
}

// Returns whether bodies need Galerkin levels and κ balances the couplings of unequal widths, so that points serve.
bool balances_bodies(const Problem& problem, const KappaSummary& kappa, const Block& block) {
  return has_bodies(problem, kappa.jumps, jump_of_bodies) &&
         relaxation_on_galerkin(block, imbalance_in(kappa, block), kappa.jumps).relaxation.extent == Extent::point;
}

// Returns whether κ needs Galerkin levels where points are relaxed. The limits differ, because rediscretized levels
// represent each kind of data differently: sharp jumps between cells, a range in many steps, layers within cells,
// averaged surfaces of bodies, and staircases of voxels (docs/design/coarse-operators.md).
bool needs_galerkin(const Problem& problem, const Jumps& jumps, const Block& block) {
  return galerkin_pays_in_cells(jumps, block) || galerkin_serves_range(problem, jumps, block) ||
         has_thin_layers(problem) || has_bodies(problem, jumps, jump_of_bodies) || has_steep_voxels(problem, jumps);
}

// Returns whether rediscretized levels approximate the data only roughly: smooth κ of a wide range, thin layers, and σ
// and α that vary.
bool varies_roughly(const Problem& problem, const Jumps& jumps, const Block& block) {
  bool found = (jumps.range >= Jumps::wide && !varies_gently(jumps)) || !problem.reaction.constant() ||
               has_thin_layers(problem) || varies_widely(jumps, block);
  for_each_face(problem, [&](int, int, const Boundary& face) {
    found = found || (face.kind == BoundaryKind::robin && !face.alpha.constant());
  });
  return found;
}

// Returns the axis along which couplings are weak in a share of the cells, and strong along both others, if there is
// one such axis. A board of κ = (18, 18, 0.4) is an example. No point sweep reduces errors that vary along this axis
// alone, and no level that coarsens it represents them.
std::optional<int> weak_axis(const Imbalance& shares, const Block& block) {
  std::optional<int> weak;
  if (block.dimension() != 3) return weak;
  for (std::size_t d = 0; d < 3; ++d) {
    if (std::min(shares[(d + 1) % 3][d], shares[(d + 2) % 3][d]) <= some_weak_cells) continue;
    if (weak) return std::nullopt;
    weak = static_cast<int>(d);
  }
  return weak;
}

// Returns the relaxation for layers across an axis, given the relaxation for the couplings. No coarse level that
// coarsens this axis represents errors within a thin layer, and no point sweep reduces them.
GalerkinRelaxation across_layers(const GalerkinRelaxation& by_couplings, int axis) {
  const Relaxation along{Extent::line, axis};
  if (by_couplings.relaxation.extent == Extent::point || by_couplings.relaxation == along) return {along, true};
  return {{Extent::alternating_lines, 0}, false, false, true};
}

// Returns the relaxation of Galerkin levels if couplings differ between the axes; empty if no lines apply. `planes`:
// rediscretized levels would relax planes, which costs much time on a GPU.
std::optional<GalerkinRelaxation> lines_on_galerkin(const Options& given, const Problem& problem, const Block& block,
                                                    const KappaSummary& kappa, bool planes) {
  const bool asked = given.coarse_operator == CoarseOperator::galerkin;
  const std::optional<int> layers = axis_of_layers(kappa.jumps, block), across = axis_across_layers(kappa.jumps, block);
  const double most = planes ? kappa.jumps.range : kappa.jumps.largest;
  if (!may_relax_lines(given) || (!asked && most < lines_jump)) return std::nullopt;
  // Rediscretized levels serve a few bodies in cells as well, whose surfaces lie on faces.
  const bool bodies = has_bodies(problem, kappa.jumps, jump_of_bodies);
  if (!asked && !planes && problem.isotropic && !layers && !across && !bodies && few_jumps(kappa.jumps, block))
    return std::nullopt;
  const Imbalance imbalance = imbalance_in(kappa, block);
  GalerkinRelaxation chosen = relaxation_on_galerkin(block, imbalance, kappa.jumps);
  if (layers && chosen.relaxation.extent == Extent::point) chosen = {{Extent::line, *layers}};
  const std::optional<int> weak = weak_axis(imbalance, block);
  if (across)
    chosen = across_layers(chosen, *across);
  else if (chosen.relaxation.extent == Extent::point && problem.media && weak)
    chosen = {{Extent::line, *weak}, true};
  if (!asked && chosen.uniform && !bodies && kappa.jumps.largest < uniform_lines_jump) return std::nullopt;
  if (chosen.relaxation.extent == Extent::point) {
    if (given.smoother.extent != RelaxationChoice::lines) return std::nullopt;
    chosen = {{Extent::alternating_lines, 0}};
  }
  return chosen;
}

// Returns whether couplings differ by so much, from cell to cell and along all stretched axes together, that
// corrections in fp32 lose the weak ones and conjugate gradients stagnate.
bool loses_couplings_on_lines(const Options& options, const Block& block, const Jumps& jumps) {
  if (options.coarse_operator != CoarseOperator::galerkin || options.smoother.extent != RelaxationChoice::lines)
    return false;
  constexpr double most = 1e17;
  double growth = 1;
  for (const Axis& axis : block.axes)
    if (const AxisStrength& s = axis.strength(); s.weakest > 0) growth *= s.strongest / s.weakest;
  return jumps.largest * growth >= most;
}

// Returns the cycle on Galerkin levels. V-cycles accumulate the errors that each level leaves: those of layers oblique
// to the axes, of jumps across relaxed lines, and of long bodies and sheets in space; in the plane those of clusters of
// all sizes. `automatic` leaves the choice to multigrid, which knows whether there are strong clusters.
Cycle cycle_on_galerkin(const Options& options, const Problem& problem, const Jumps& jumps, const Block& block) {
  const bool points = options.smoother.extent == RelaxationChoice::points;
  if (block.dimension() == 2) {
    if (points && has_extreme_range(jumps, block)) return Cycle::w;
    return points && many_jumps(jumps, block) ? Cycle::automatic : Cycle::v;
  }
  const GalerkinRelaxation& lines = options.on_galerkin;
  if (!points && lines.relaxation.extent == Extent::line && !lines.keeps_lines && !lines.uniform) return Cycle::w;
  if (!points && lines.keeps_lines) return axis_across_layers(jumps, block) ? Cycle::v : Cycle::w;
  const bool long_bodies = !jumps.rough() && (many_steps(jumps, block) || has_bodies(problem, jumps, jump_of_bodies));
  const bool sheets = problem.media && !problem.media->sheets.empty();
  const bool wide_and_flat = points && is_flat(block) && varies_widely(jumps, block);
  return long_bodies || sheets || wide_and_flat || oblique_layers(jumps, block) ? Cycle::w : Cycle::v;
}

}  // namespace

Options resolve_options(const Options& given, const Problem& problem, std::optional<KappaSummary> known,
                        const Parts& parts) {
  const KappaSummary kappa = known.value_or(known_kappa(problem));
  const Block block = make_block(problem);
  const auto finest = [&](bool jumps) {
    return choose_relaxation(block, kappa.mean, RelaxationChoice::automatic, jumps).relaxation;
  };
  // Across jumps, too, lines beat Galerkin operators if the flat axis has no Dirichlet end.
  const Relaxation across = finest(kappa.jumps.largest >= steep_jump);
  const bool open = std::ranges::none_of(problem.boundary[static_cast<std::size_t>(across.axis)],
                                         [](const Boundary& b) { return b.kind == BoundaryKind::dirichlet; });
  const bool balanced = finest(false).extent == Extent::point && (across.extent == Extent::point || !open);
  const bool points = balanced || galerkin_beats_lines(kappa.jumps, stretched_axes(block));
  Options options = given;
  if (options.krylov == Krylov::automatic && varies_roughly(problem, kappa.jumps, block)) options.krylov = Krylov::cg;
  // Elements store the penalties of constrained nodes in their bands. If points are relaxed on equal cells, Galerkin
  // operators inherit these penalties.
  if (needs_stored_bands(problem) && given.method != Method::cg && given.method != Method::jacobi &&
      options.coarse_operator == CoarseOperator::automatic && options.smoother.takes_points(balanced) &&
      block.equidistant())
    options.coarse_operator = CoarseOperator::galerkin;
  // If planes would be relaxed and data vary moderately, the direct solver for mean data is the better preconditioner.
  const bool left_to_us = given.preconditioner == PreconditionerChoice::automatic && !given.smoother.kind &&
                          !given.smoother.extent && given.krylov == Krylov::automatic &&
                          given.coarse_operator == CoarseOperator::automatic && given.full_multigrid &&
                          (given.method == Method::multigrid || given.method == Method::automatic);
  const bool constant_kappa =
      std::ranges::all_of(problem.coefficient, [](const Quantity& k) { return k.constant() != nullptr; });
  const bool seen = known && (constant_kappa || kappa.jumps.range > 1);
  if (left_to_us && seen && !is_separable(problem) && across.extent == Extent::plane &&
      given.precision == SolvePrecision::mixed && no_direct_preconditioner(problem, parts).empty() &&
      varies_moderately(problem, kappa.mean, kappa.jumps))
    options.preconditioner = PreconditionerChoice::direct;
  const bool by_multigrid = options.preconditioner == PreconditionerChoice::automatic ||
                            options.preconditioner == PreconditionerChoice::multigrid;
  if (const auto lines = by_multigrid ? lines_on_galerkin(given, problem, block, kappa, across.extent == Extent::plane)
                                      : std::nullopt) {
    options.coarse_operator = CoarseOperator::galerkin;
    options.on_galerkin = *lines;
    options.smoother.extent = RelaxationChoice::lines;
    if (lines->semicoarsens && !given.smoother.pre && !given.smoother.post)
      options.smoother.pre = options.smoother.post = 1;
  } else if (options.coarse_operator == CoarseOperator::automatic &&
             options.smoother.takes_points(points || balances_bodies(problem, kappa, block)) &&
             needs_galerkin(problem, kappa.jumps, block)) {
    options.coarse_operator = CoarseOperator::galerkin;
  }
  options = options.choose(kappa.jumps.largest, points, few_jumps(kappa.jumps, block), problem.dimension);
  if (given.cycle == Cycle::automatic && options.method == Method::multigrid &&
      options.coarse_operator == CoarseOperator::galerkin)
    options.cycle = cycle_on_galerkin(options, problem, kappa.jumps, block);
  if (options.method == Method::multigrid && options.precision == SolvePrecision::mixed &&
      (singular_in_single(problem, block, kappa.mean) || has_negligible_gaps(problem, kappa.jumps.range) ||
       loses_couplings_on_lines(options, block, kappa.jumps)))
    options.precision = SolvePrecision::double_;
  return options;
}

}  // namespace poisson
