#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "grids/axes/ends.hpp"
#include "grids/problem/quantity.hpp"

namespace poisson {

struct Media;

/// Selects finite volumes of 5 or 7 points, bilinear or trilinear elements of 9 or 27 points, or the fourth-order
/// compact scheme of 9 or 27 points.
enum class Scheme { fv, q1, compact4 };

/// Returns whether rows are sums of element matrices (element_mass.hpp), of 9 or 27 points.
constexpr bool on_elements(Scheme scheme) {
  return scheme != Scheme::fv;
}

/// Describes the condition on a face.
struct Boundary {
  BoundaryKind kind = BoundaryKind::dirichlet;
  Quantity value = 0.0;
  Quantity alpha = 0.0;   ///< Robin only, ≥ 0
  bool mixed_bc = false;  ///< Robin only: its parts have several conditions (mixed_bc.hpp)
};

/// Lists the names of the faces axis by axis, lower before upper.
inline constexpr std::array<std::string_view, 6> face_names{"x-", "x+", "y-", "y+", "z-", "z+"};

/// Describes −∇·(κ∇u) + σu = f on a box. Problems in two dimensions use the first two axes. Their functions get z = 0.
struct Problem {
  int dimension = 3;
  Centering centering = Centering::node;
  /// Contains the node coordinates of each axis: strictly increasing, and at least three. Unused axes are empty.
  std::array<std::vector<double>, 3> nodes;
  std::array<std::array<Boundary, 2>, 3> boundary;  ///< [axis][0 lower, 1 upper]
  /// κ > 0 is sampled at cell centres. Isotropic problems use only the first entry.
  std::array<Quantity, 3> coefficient{1.0, 1.0, 1.0};
  bool isotropic = true;
  /// Contains κ_xy, κ_xz, κ_yz of a full tensor (elements only), whose matrix must be positive definite in every cell.
  std::array<Quantity, 3> offdiagonal{0.0, 0.0, 0.0};
  bool full_tensor = false;
  Quantity reaction = 0.0;  ///< σ ≥ 0
  Quantity source = 0.0;    ///< f
  std::optional<Quantity>
      initial;                    ///< the starting guess; without one, zero inside and the Dirichlet data on the faces
  std::optional<Quantity> exact;  ///< the solution, for error norms
  Scheme scheme = Scheme::fv;
  /// Contains materials and the regions that they fill (media.hpp); cells only. Null: κ is `coefficient`.
  std::shared_ptr<const Media> media;
};

}  // namespace poisson
