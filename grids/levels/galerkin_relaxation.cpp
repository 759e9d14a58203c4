#include "grids/levels/galerkin_relaxation.hpp"

#include <algorithm>
#include <vector>

#include "grids/sampling/unlike_couplings.hpp"

namespace poisson {
namespace {

// The part of all pairs (i, j) of cells of two axes for which both couplings differ by more than a factor of 4.
double unbalanced_pairs(const Axis& a, double coefficient_a, const Axis& b, double coefficient_b) {
  const auto couplings = [](const Axis& axis, double coefficient) {
    std::vector<double> all;
    for (int i = 0; i < axis.cells(); ++i) all.push_back(coefficient / (axis.width(i) * axis.width(i)));
    std::ranges::sort(all);
    return all;
  };
  const std::vector<double> of_a = couplings(a, coefficient_a), of_b = couplings(b, coefficient_b);
  std::ptrdiff_t unbalanced = 0;
  for (const double one : of_a)
    unbalanced += (std::ranges::lower_bound(of_b, one / UnlikeCouplings::factor) - of_b.begin()) +
                  (of_b.end() - std::ranges::upper_bound(of_b, one * UnlikeCouplings::factor));
  return static_cast<double>(unbalanced) / (static_cast<double>(of_a.size()) * static_cast<double>(of_b.size()));
}

// Shares of unbalanced cells that points bear, and that lines bear across them.
constexpr double borne_by_points = 0.2, borne_by_lines = 0.05;
// Share of cells with a jump across lines up to which these are kept.
constexpr double few_across = 0.02;

// Share of neighbours with a large ratio from which κ is random from cell to cell, and so are the strongest couplings.
constexpr double from_cell_to_cell = 0.3;

GalerkinRelaxation lines_along(int axis, const Jumps& jumps) {
  if (jumps.share >= from_cell_to_cell) return {{Extent::alternating_lines, 0}};
  bool few = true;
  for (int d = 0; d < 3; ++d) few = few && (d == axis || jumps.steep_along[static_cast<std::size_t>(d)] <= few_across);
  return {{Extent::line, axis}, few};
}

}  // namespace

Imbalance imbalance_of(const Block& block, const std::array<double, 3>& coefficient) {
  Imbalance shares{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
    const Axis one = block.axes[b].in_whole(), other = block.axes[c].in_whole();
    if (!one.degenerate() && !other.degenerate())
      shares[a] = unbalanced_pairs(one, coefficient[b], other, coefficient[c]);
  }
  return shares;
}

GalerkinRelaxation relaxation_on_galerkin(const Block& block, const Imbalance& imbalance, const Jumps& jumps) {
  if (std::ranges::all_of(imbalance, [](double share) { return share <= borne_by_points; })) return {};
  // In a plane any lines serve: those along the axis whose cells differ most, so that couplings across them are alike.
  if (block.dimension() == 2) {
    const auto range = [&](std::size_t d) {
      const AxisStrength& s = block.axes[d].strength();
      return s.strongest / s.weakest;
    };
    return lines_along(range(0) > range(1) ? 0 : 1, jumps);
  }
  const auto least = std::ranges::min_element(imbalance);
  if (*least <= borne_by_lines) return lines_along(static_cast<int>(least - imbalance.begin()), jumps);
  return {{Extent::alternating_lines, 0}};
}

LevelChoice choose_on_galerkin(const Block& block, const std::array<double, 3>& coefficient,
                               const GalerkinRelaxation& relaxation) {
  LevelChoice choice = choose_relaxation(block, coefficient, RelaxationChoice::points);
  if (relaxation.keeps_lines) {
    const auto along = static_cast<std::size_t>(relaxation.relaxation.axis);
    bool others = false;
    for (std::size_t d = 0; d < 3; ++d) others = others || (d != along && coarsenable(block.axes[d]));
    for (std::size_t d = 0; d < 3; ++d)
      choice.coarsened[d] = coarsenable(block.axes[d]) && (others ? d != along : d == along);
  }
  choice.relaxation = choice.coarsest() ? Relaxation{} : relaxation.relaxation;
  return choice;
}

}  // namespace poisson
