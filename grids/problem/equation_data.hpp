#pragma once

#include <array>
#include <optional>

#include "grids/problem/quantity.hpp"

namespace poisson {

/// Contains the data of −∇·(κ∇u) + σu = f on any grid. Functions of problems in two dimensions get z = 0.
struct EquationData {
  /// κ > 0 is sampled at the centres of cells or elements. Isotropic problems use only the first entry.
  std::array<Quantity, 3> coefficient{1.0, 1.0, 1.0};
  bool isotropic = true;
  /// Contains κ_xy, κ_xz, κ_yz of a full tensor (elements only), whose matrix must be positive definite in every cell.
  std::array<Quantity, 3> offdiagonal{0.0, 0.0, 0.0};
  bool full_tensor = false;
  Quantity reaction = 0.0;  ///< σ ≥ 0
  Quantity source = 0.0;    ///< f
  /// Is the starting guess; without one, zero inside and the Dirichlet data on the faces.
  std::optional<Quantity> initial;
  std::optional<Quantity> exact;  ///< the solution, for error norms
};

}  // namespace poisson
