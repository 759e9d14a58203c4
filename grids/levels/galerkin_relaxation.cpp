#include "grids/levels/galerkin_relaxation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grids/sampling/stronger_coupling.hpp"

namespace poisson {
namespace {

std::vector<double> couplings_of(const Axis& axis, double coefficient) {
  std::vector<double> all;
  for (int i = 0; i < axis.cells(); ++i) all.push_back(coefficient / (axis.width(i) * axis.width(i)));
  return all;
}

// Returns the share of all pairs of cells of two axes in which the coupling of the first axis is the stronger one.
double share_of_stronger(const std::vector<double>& first, std::vector<double> second) {
  std::ranges::sort(second);
  std::ptrdiff_t stronger = 0;
  for (const double one : first)
    stronger += std::ranges::lower_bound(second, one / StrongerCoupling::factor) - second.begin();
  return static_cast<double>(stronger) / (static_cast<double>(first.size()) * static_cast<double>(second.size()));
}

// These are shares of unbalanced cells: the largest with point relaxation, the largest across lines, and the largest
// with weak couplings along lines that is neglected.
constexpr double borne_by_points = 0.2, borne_by_lines = 0.05, hardly_weak = 0.05;
// Coarse levels keep lines up to this share of cells with a jump across the lines, and up to this number of jumps from
// end to end, which does not depend on the size of cells.
constexpr double few_across = 0.02, few_from_end_to_end = 2;
// From this share of neighbours with a large ratio on, κ is random from cell to cell, and so is the axis of the
// strongest couplings.
constexpr double from_cell_to_cell = 0.3;

// Returns the share of cells in which the couplings of the two axes other than `axis` are unlike.
double unlike_across(const Imbalance& shares, std::size_t axis) {
  const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
  return shares[a][b] + shares[b][a];
}

GalerkinRelaxation lines_along(std::size_t axis, const Block& block, const Imbalance& shares, const Jumps& jumps) {
  bool weak = false, few = true;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d == axis) continue;
    weak = weak || shares[d][axis] > hardly_weak;
    const double steep = jumps.steep_along[d];
    few = few && steep <= few_across && steep * block.axes[d].global().cells() <= few_from_end_to_end;
  }
  const Relaxation along{Extent::line, static_cast<int>(axis)};
  if (!weak) return {along, false, true};
  if (jumps.share >= from_cell_to_cell) return {{Extent::alternating_lines, 0}};
  return {along, few, false};
}

// A bundle of lines with at most this number of values is the coarsest level, whose inverse is stored: 141 MB.
constexpr std::int64_t most_values_of_bundle = 4200;

// Returns whether an axis across lines that all levels keep can be coarsened: down to one cell, with at least one
// unknown. No other level may represent errors that are constant across the lines, because no level coarsens the lines.
bool coarsenable_across_lines(const Axis& axis) {
  if (axis.closed() || axis.steep()) return coarsenable(axis);
  const int unknowns = axis.last() - axis.first(), given = axis.size() - unknowns;
  return axis.cells() > 2 || (axis.cells() == 2 && given < 2);
}

}  // namespace

Imbalance imbalance_of(const Block& block, const std::array<double, 3>& coefficient) {
  Imbalance shares{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const Axis one = block.axes[a].global(), other = block.axes[b].global();
      if (a != b && !one.degenerate() && !other.degenerate())
        shares[a][b] = share_of_stronger(couplings_of(one, coefficient[a]), couplings_of(other, coefficient[b]));
    }
  return shares;
}

GalerkinRelaxation relaxation_on_galerkin(const Block& block, const Imbalance& shares, const Jumps& jumps) {
  std::array<double, 3> unlike{};
  for (std::size_t d = 0; d < 3; ++d) unlike[d] = unlike_across(shares, d);
  if (std::ranges::all_of(unlike, [](double share) { return share <= borne_by_points; })) return {};
  // In a plane any lines serve: those along the axis that is the stronger one in more cells.
  if (block.dimension() == 2) return lines_along(shares[0][1] > shares[1][0] ? 0 : 1, block, shares, jumps);
  const auto least = std::ranges::min_element(unlike);
  if (*least <= borne_by_lines)
    return lines_along(static_cast<std::size_t>(least - unlike.begin()), block, shares, jumps);
  return {{Extent::alternating_lines, 0}, false, false, true};
}

LevelChoice choose_on_galerkin(const Block& block, const std::array<double, 3>& coefficient,
                               const GalerkinRelaxation& relaxation) {
  LevelChoice choice = choose_relaxation(block, coefficient, RelaxationChoice::points);
  if (relaxation.keeps_lines) {
    const auto along = static_cast<std::size_t>(relaxation.relaxation.axis);
    const auto may = [&](std::size_t d) {
      return d == along ? coarsenable(block.axes[d]) : coarsenable_across_lines(block.axes[d]);
    };
    bool others = false;
    for (std::size_t d = 0; d < 3; ++d) others = others || (d != along && may(d));
    const bool bundle = !others && block.unknowns().size() <= most_values_of_bundle;
    for (std::size_t d = 0; d < 3; ++d) choice.coarsened[d] = !bundle && may(d) && (others ? d != along : d == along);
  }
  choice.relaxation = choice.coarsest() ? Relaxation{} : relaxation.relaxation;
  return choice;
}

}  // namespace poisson
