#pragma once

#include <array>

#include "grids/axes/block.hpp"

namespace poisson {

/// What a smoother solves for at once: each value, the lines along an axis, the planes across one, or the lines along
/// each axis in turn.
enum class Extent { point, line, plane, alternating_lines };

struct Relaxation {
  Extent extent = Extent::point;
  int axis = 0;  ///< the axis along which lines run, or the normal of planes

  bool operator==(const Relaxation&) const = default;
};

/// Ratio of κ in neighbouring cells from which it counts as jumping.
inline constexpr double steep_jump = 4;

/// The extents among which a level may choose.
enum class RelaxationChoice { points, lines, planes, automatic };

/// How a level is smoothed and which of its axes are coarsened; none on the coarsest.
struct LevelChoice {
  Relaxation relaxation;
  std::array<bool, 3> coarsened{};

  bool coarsest() const { return !(coarsened[0] || coarsened[1] || coarsened[2]); }
};

/// Chooses by the couplings κ_d/h², which vary along a stretched axis. An axis may be coarsened where its weakest
/// coupling holds its own against the strongest of every other axis that the smoother does not solve for: else the
/// error that oscillates along it is not smoothed (Trottenberg, Oosterlee, Schüller, Multigrid, 2001, section 5.1).
/// Points come first, then lines, then planes, as far as `allowed`.
/// Where κ `jumps`, points do not coarsen strong axes alone for many levels: what smooths the error along them is the
/// coupling across, which differs by as much as κ.
/// `coupled`: the axes along which values are coupled at all; two in a plane that is solved for.
LevelChoice choose_relaxation(const Block& block, const std::array<double, 3>& coefficient, RelaxationChoice allowed,
                              bool jumps = false, const std::array<bool, 3>& coupled = {true, true, true});

}  // namespace poisson
