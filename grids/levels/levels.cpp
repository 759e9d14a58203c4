#include "grids/levels/levels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "grids/axes/stretching.hpp"

namespace poisson {
namespace {

// Data in cells must not be averaged across a jump of κ, and piecewise constant prolongation needs unions of cells.
// Galerkin operators interpolate between every other node. All other operators use coordinates.
// A Galerkin level below the finest one with at most this number of values is the coarsest level. On a GPU its stored
// inverse takes one launch, and coarser levels with strong clusters take about 40 launches for each visit.
constexpr std::int64_t most_values_solved = 300;

Coarsening coarsening_rule(const Block& block, const LevelRules& rules) {
  const bool whole_cells = rules.jumps && block.centering() == Centering::cell;
  return rules.galerkin || whole_cells ? Coarsening::pairs : Coarsening::even;
}

LevelAssembly assembly_of(const Block& block, const LevelRules& rules, int level, const Relaxation& relaxation,
                          bool within_planes) {
  if (rules.galerkin && level > 0) return LevelAssembly::bands;
  LevelAssembly chosen = rules.assembly;
  // Coarser κ are means, and line and plane solves need stored coefficients.
  if (chosen == LevelAssembly::recompute && (level > 0 || within_planes || relaxation.extent != Extent::point))
    chosen = LevelAssembly::partial;
  if (chosen == LevelAssembly::equidistant && (within_planes || !block.equidistant()))
    chosen = LevelAssembly::tensor_product;
  return rules.elements && within_planes ? LevelAssembly::full : chosen;
}

std::vector<std::vector<LevelPlan>> semicoarsened(const Block& block, const LevelRules& rules);

// A coarse axis has at most this share of the values of the finer one. Otherwise no values are kept.
constexpr double most_coarse_values = 0.75;

// Replaces the places of coarse values along an open axis by ones that contain the kept values. Nothing conducts well
// enough to a layer of cells on a sheet from its neighbours to interpolate its value. Returns the kept coarse values.
std::vector<int> keep_values(const Axis& fine, const std::vector<int>& kept, CoarseAxis& coarse) {
  const int last = fine.cells();
  if (kept.empty() || fine.closed()) return {};
  std::vector<double> place{0};
  std::vector<int> coarser;
  for (int at = 0; at < last; place.push_back(at)) {
    if (std::ranges::binary_search(kept, at)) coarser.push_back(static_cast<int>(place.size()) - 1);
    at = std::min(last, std::ranges::binary_search(kept, at + 1) ? at + 1 : at + 2);
  }
  if (kept.back() == last) coarser.push_back(static_cast<int>(place.size()) - 1);
  if (static_cast<double>(place.size()) > most_coarse_values * (last + 1)) return {};
  const std::vector<double>& nodes = fine.nodes();
  coarse = {fine.coarser(uniform_nodes(nodes.front(), nodes.back(), static_cast<int>(place.size()) - 1)),
            std::move(place)};
  return coarser;
}

// Coarsens a level, with the kept values of Galerkin levels among the coarse ones.
CoarseBlock coarsen_level(const Block& block, const std::array<bool, 3>& coarsened, Coarsening rule,
                          std::array<std::vector<int>, 3>& kept) {
  CoarseBlock coarse = coarsen(block, coarsened, rule);
  for (std::size_t d = 0; d < 3; ++d) {
    if (!coarsened[d]) continue;
    kept[d] = keep_values(block.axes[d], kept[d], coarse.axes[d]);
    coarse.block.axes[d] = coarse.axes[d].axis;
  }
  return coarse;
}

std::vector<LevelPlan> levels_within(Block block, const LevelRules& rules, const std::array<bool, 3>& coupled) {
  const bool within_planes = !(coupled[0] && coupled[1] && coupled[2]);
  const Coarsening rule = coarsening_rule(block, rules);
  std::vector<LevelPlan> levels;
  std::array<std::vector<int>, 3> kept;
  if (rules.galerkin) kept = rules.kept;
  for (int l = 0;; ++l) {
    LevelChoice choice = rules.galerkin && rules.on_galerkin.relaxation.extent != Extent::point
                             ? choose_on_galerkin(block, rules.kappa, rules.on_galerkin)
                             : choose_relaxation(block, rules.kappa, rules.allowed, rules.jumps, coupled);
    if (rules.galerkin && l > 0 && !rules.on_galerkin.keeps_lines && block.unknowns().size() <= most_values_solved)
      choice = {};
    LevelPlan level{block, rules.precision, {}, choice.relaxation, {}, {}, {}};
    if (!choice.coarsest()) level.coarser = coarsen_level(block, choice.coarsened, rule, kept);
    level.assembly = assembly_of(block, rules, l, level.smoothed(), within_planes);
    if (level.smoothed().extent == Extent::plane) {
      LevelRules in_planes = rules;
      in_planes.allowed = RelaxationChoice::automatic;
      PerAxis<bool> within{coupled};
      within[choice.relaxation.axis] = false;
      level.planes = levels_within(block, in_planes, within);
    }
    if (l == 0 && rules.galerkin && rules.on_galerkin.semicoarsens) level.semicoarsened = semicoarsened(block, rules);
    levels.push_back(std::move(level));
    if (choice.coarsest()) return levels;
    block = levels.back().coarser->block;
  }
}

// Lists of levels that each keep one axis, where at least one other axis can be coarsened.
std::vector<std::vector<LevelPlan>> semicoarsened(const Block& block, const LevelRules& rules) {
  std::vector<std::vector<LevelPlan>> all;
  for (int axis = 0; axis < 3; ++axis) {
    LevelRules keeping = rules;
    keeping.on_galerkin = {{Extent::alternating_lines, axis}, true};
    std::vector<LevelPlan> levels = levels_within(block, keeping, {true, true, true});
    if (levels.size() > 1 && coarsenable(block.axes[axis])) all.push_back(std::move(levels));
  }
  return all;
}

}  // namespace

std::string_view name_of(LevelAssembly assembly) {
  constexpr std::array<std::string_view, 6> names{"equidistant", "tensor-product", "recompute",
                                                  "partial",     "full",           "bands"};
  return names[static_cast<std::size_t>(assembly)];
}

std::vector<LevelPlan> choose_levels(const Block& block, const LevelRules& rules) {
  if (!rules.galerkin || block.centering() == Centering::node) return levels_within(block, rules, {true, true, true});
  std::vector<LevelPlan> levels = levels_within(index_block(block), rules, {true, true, true});
  levels.front().block = block;
  return levels;
}

Block index_block(const Block& block) {
  Block index;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis axis = block.axes[d].global();
    const int n = axis.size();
    if (n == 1) continue;
    const int cells = axis.closed() ? n : n - 1;
    const BoundaryKind kind = axis.closed() ? BoundaryKind::periodic : BoundaryKind::neumann;
    const double length = axis.nodes().back() - axis.nodes().front();
    index.axes[d] = Axis(uniform_nodes(0, cells * (length / axis.all_cells()), cells), kind, kind);
  }
  return block.share ? index.part(block.share) : index;
}

std::vector<LevelPlan> single_level(const Block& block, const LevelRules& rules) {
  return {{block, rules.precision, assembly_of(block, rules, 0, {}, false), {}, {}, {}, {}}};
}

}  // namespace poisson
