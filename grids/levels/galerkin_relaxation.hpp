#pragma once

#include "grids/operators/relaxation.hpp"
#include "grids/sampling/jumps.hpp"

namespace poisson {

/// Returns the shares of unbalanced cells for the cell widths and one κ per axis. An axis of one value is balanced with
/// all others.
Imbalance imbalance_of(const Block& block, const std::array<double, 3>& coefficient);

/// Describes the relaxation on levels of Galerkin operators.
struct GalerkinRelaxation {
  Relaxation relaxation;  ///< points, lines along one axis, or lines along all axes in turn
  /// Lines: coarse levels keep the axis of the relaxation and coarsen the others to one cell. A bundle of at most 4200
  /// values is then solved exactly; larger ones are coarsened along the lines.
  bool keeps_lines = false;
  /// Set for lines along one axis whose couplings are almost nowhere the weak ones. Mean couplings lead to the same
  /// choice.
  bool uniform = false;
  /// Lines in turn: for each axis the finest level also has a hierarchy that keeps this axis.
  bool semicoarsens = false;
};

/// Chooses points where the couplings are balanced; lines along axis a where the other two axes are balanced with each
/// other, whatever κ and h do along a; else lines along all axes in turn. Lines are kept where their couplings are weak
/// in some cells, and κ hardly jumps across them (docs/design/coarse-operators.md).
GalerkinRelaxation relaxation_on_galerkin(const Block& block, const Imbalance& imbalance, const Jumps& jumps);

/// Returns the relaxation and coarsening of a Galerkin level.
LevelChoice choose_on_galerkin(const Block& block, const std::array<double, 3>& coefficient,
                               const GalerkinRelaxation& relaxation);

}  // namespace poisson
