#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "backends/device/backend.hpp"
#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

class ConstrainedNodes;
class FloatingSubdomains;

/// Selects which unknowns the rows of A couple: the nearest along axes, those of the surrounding box, or farther ones.
enum class RowShape : std::uint8_t { star, box, far };

/// Contains the problem properties that the solver, its error estimator and the choice of fallbacks need.
struct Traits {
  RowShape row_shape = RowShape::star;
  double range = 1;               ///< ratio of the largest to the smallest κ; 1: unknown
  double error_per_residual = 1;  ///< bound of ‖e‖/‖u‖ over the relative residual; 1: unknown
  double rounding_growth = 1;     ///< of direct solutions, as rounding_growth() returns it
  /// Full multigrid corrects the initial solution, because coarse levels do not store face data.
  bool starts_from_residual = false;
  bool uneven = false;            ///< κ or σ varies: an error may be small in D⁻¹A but large in energy
  bool cancels = false;           ///< entries of both signs, which nearly cancel on flat cells (elements)
  bool keeps_last = false;        ///< to save memory, no iterate with a smaller residual is restored
  bool short_directions = false;  ///< to save memory, ShortGradients replace ConjugateGradients
  /// Point sweeps and conjugate gradients with diagonal scaling miss smooth errors, so that `judge` looks for them.
  bool hides_smooth_errors = false;
  std::function<bool()> homogeneous;  ///< the data stored in the solution are zero now
  /// Returns whether b contains values of fixed bodies, whose couplings change from level to level: full multigrid
  /// would restrict them wrongly. Empty if there are no such bodies.
  std::function<bool()> drives_by_walls;
  /// Returns the imbalance of all flows relative to their size (balance(), throughput()). Overwrites the last field.
  /// Empty if κ has no wide range.
  std::function<double(const Operator& A, const Field& u, const Field& b, Field& work)> imbalance;
  /// Returns uᵀAu with the contribution of faces, or nothing if it is too expensive. Overwrites Au and `sum`. Empty if
  /// apply_everywhere gives A u.
  std::function<std::optional<double>(const Operator& A, Field& u, Field& Au, Scalar& sum)> energy;
  std::shared_ptr<ConstrainedNodes> constrained;  ///< constrained unknowns, or null

  // make_solver sets the members below.
  /// Makes a preconditioner that detects smooth errors. It is a factorization if that is cheap, else multigrid. Null if
  /// none is available.
  std::function<std::unique_ptr<Preconditioner>()> judge;
  /// Is set if κ has a range that coarse levels represent only roughly.
  std::shared_ptr<const FloatingSubdomains> floating_subdomains;
};

}  // namespace poisson
