#pragma once

#include "grids/operators/relaxation.hpp"
#include "grids/sampling/jumps.hpp"

namespace poisson {

/// The shares that the widths of cells and one κ per axis give. An axis of one value is balanced with all others.
Imbalance imbalance_of(const Block& block, const std::array<double, 3>& coefficient);

/// What the levels of Galerkin operators relax.
struct GalerkinRelaxation {
  Relaxation relaxation;  ///< points, lines along one axis, or lines along all axes in turn
  /// Lines: coarse levels keep the axis of the relaxation until the others cannot be coarsened any more. Then no coarse
  /// level has to represent an error that oscillates along the lines.
  bool keeps_lines = false;
  /// Lines along one axis whose couplings are hardly anywhere the weak ones: mean couplings show this, too.
  bool uniform = false;
  /// Lines in turn: for each axis the finest level also has a hierarchy that keeps this axis.
  bool semicoarsens = false;
};

/// Chooses points where the couplings are balanced; lines along axis a where the other two axes are balanced with each
/// other, whatever κ and h do along a; else lines along all axes in turn. Lines are kept where their couplings are weak
/// in some cells, and κ hardly jumps across them (docs/design/coarse-operators.md).
GalerkinRelaxation relaxation_on_galerkin(const Block& block, const Imbalance& imbalance, const Jumps& jumps);

/// How a Galerkin level with this relaxation is coarsened.
LevelChoice choose_on_galerkin(const Block& block, const std::array<double, 3>& coefficient,
                               const GalerkinRelaxation& relaxation);

}  // namespace poisson
