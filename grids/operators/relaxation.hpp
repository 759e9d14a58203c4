#pragma once

#include <array>
#include <optional>

#include "grids/axes/block.hpp"

namespace poisson {

/// Selects the values that a smoother solves for together: each value, the lines along an axis, the planes across an
/// axis, or the lines along each axis in turn.
enum class Extent { point, line, plane, alternating_lines };

struct Relaxation {
  Extent extent = Extent::point;
  int axis = 0;  ///< direction of lines, or normal of planes

  /// Selects the lines along an axis.
  static Relaxation of_lines(int axis) { return {Extent::line, axis}; }
  /// Returns the axis of lines; nothing for other extents.
  std::optional<int> line() const { return extent == Extent::line ? std::optional(axis) : std::nullopt; }

  bool operator==(const Relaxation&) const = default;
};

/// κ counts as jumping from this ratio in neighbouring cells.
inline constexpr double steep_jump = 4;

/// Selects the extents from which a level may choose.
enum class RelaxationChoice { points, lines, planes, automatic };

/// Describes how a level is smoothed and which axes are coarsened; the coarsest level coarsens none.
struct LevelChoice {
  Relaxation relaxation;
  std::array<bool, 3> coarsened{};

  bool coarsest() const { return !(coarsened[0] || coarsened[1] || coarsened[2]); }
};

/// Chooses the relaxation by the couplings κ_d/h², which vary along a stretched axis. An axis may be coarsened only if
/// its weakest coupling is not much smaller than the strongest coupling of every other axis that the smoother does not
/// solve for. Otherwise the error that oscillates along the axis is not smoothed (Trottenberg, Oosterlee, Schüller,
/// Multigrid, 2001, section 5.1). Points are tried first, then lines, then planes, as far as `allowed` permits.
///
/// If κ `jumps`, points must not coarsen only the strong axes for many levels: the coupling across these axes smooths
/// the error along them, and this coupling varies as strongly as κ. `coupled` marks the axes along which values are
/// coupled: two in a plane problem.
LevelChoice choose_relaxation(const Block& block, const std::array<double, 3>& coefficient, RelaxationChoice allowed,
                              bool jumps = false, const std::array<bool, 3>& coupled = {true, true, true});

}  // namespace poisson
