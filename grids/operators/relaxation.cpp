#include "grids/operators/relaxation.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace poisson {
namespace {

// The weakest coupling of a coarsened axis may be smaller than the strongest coupling of another axis by this factor.
// `balance` applies to mean couplings; `local_imbalance` is the local limit for points on stretched axes.
constexpr double balance = 2 * (1 + 1e-9);  // cells that are cubic within √2 may exceed the limit by rounding
constexpr double local_imbalance = 4;
// If κ jumps, points tolerate axes that are not coarsened for up to two levels.
constexpr double imbalance_across_jumps = 16;

/// Contains κ/h² of an axis: the value of the mean cell, and the range over the cells.
struct Coupling {
  double mean = 0, weakest = 0, strongest = 0;
  bool coarsenable = false;
  bool active = false;  ///< couples values among which the error may be smooth
};

Coupling coupling_of(const Axis& axis, double coefficient, bool coupled) {
  Coupling c;
  if (!coupled || axis.degenerate()) return c;
  c.coarsenable = coarsenable(axis);
  c.active = axis.last() - axis.first() > 1;
  const AxisStrength& strength = axis.strength();
  c.mean = coefficient * strength.mean;
  c.weakest = coefficient * strength.weakest;
  c.strongest = coefficient * strength.strongest;
  return c;
}

using Couplings = PerAxis<Coupling>;

// Returns the axes that may be coarsened if the smoother solves along the axes in `solved`.
std::array<bool, 3> coarsened_by(const Couplings& c, const std::array<bool, 3>& solved) {
  double mean = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (c[d].coarsenable && !solved[d]) mean = std::max(mean, c[d].mean);
  std::array<bool, 3> coarsened{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!c[d].coarsenable) continue;
    bool may = true;
    for (std::size_t e = 0; e < 3; ++e) {
      if (e == d || solved[e] || !c[e].active) continue;
      may = may && c[d].weakest * (solved[d] ? balance : local_imbalance) >= c[e].strongest;
    }
    coarsened[d] = may && (solved[d] || c[d].mean * balance >= mean);
  }
  return coarsened;
}

// Returns the first candidate that allows coarsening of an axis.
std::optional<LevelChoice> first_that_coarsens(const Couplings& c, const std::vector<Relaxation>& candidates) {
  for (const Relaxation& relaxation : candidates) {
    PerAxis<bool> solved{};
    for (int d = 0; d < 3; ++d)
      solved[d] = relaxation.extent == Extent::line    ? d == relaxation.axis
                  : relaxation.extent == Extent::plane ? d != relaxation.axis
                                                       : false;
    const LevelChoice choice{relaxation, coarsened_by(c, solved)};
    if (!choice.coarsest()) return choice;
  }
  return std::nullopt;
}

}  // namespace

LevelChoice choose_relaxation(const Block& block, const std::array<double, 3>& coefficient, RelaxationChoice allowed,
                              bool jumps, const std::array<bool, 3>& coupled) {
  Couplings c;
  double strongest = 0;
  std::vector<int> axes;  // contains the axes of possible lines, strongest coupling first
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    c[at] = coupling_of(block.axes[at], coefficient[at], coupled[at]);
    if (c[at].coarsenable) strongest = std::max(strongest, c[at].mean);
    if (coupled[at] && !block.axes[at].degenerate()) axes.push_back(d);
  }
  if (strongest == 0) return {};
  const auto by_mean = [&](Relaxation relaxation) {
    LevelChoice choice{relaxation, {}};
    for (std::size_t d = 0; d < 3; ++d) choice.coarsened[d] = c[d].coarsenable && c[d].mean * balance >= strongest;
    return choice;
  };
  if (allowed == RelaxationChoice::points) return by_mean({});
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return c[a].strongest > c[b].strongest; });

  std::vector<Relaxation> candidates;
  const bool balanced = std::ranges::none_of(
      c, [&](const Coupling& axis) { return axis.coarsenable && axis.mean * imbalance_across_jumps < strongest; });
  if (allowed == RelaxationChoice::automatic && (balanced || !jumps)) candidates.push_back({});
  if (allowed != RelaxationChoice::planes)
    for (const int d : axes) candidates.push_back({Extent::line, d});
  if (allowed != RelaxationChoice::lines && axes.size() == 3)
    for (auto d = axes.rbegin(); d != axes.rend(); ++d) candidates.push_back({Extent::plane, *d});
  if (candidates.empty()) candidates.push_back({Extent::line, axes.front()});  // planes of a plane are lines
  if (const auto choice = first_that_coarsens(c, candidates)) return *choice;

  return by_mean(candidates.front());  // no permitted relaxation smooths everything
}

}  // namespace poisson
