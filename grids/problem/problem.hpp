#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "grids/axes/ends.hpp"
#include "grids/problem/equation_data.hpp"

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

/// Lists the names of the faces of a box axis by axis, lower before upper.
inline constexpr std::array<std::string_view, 6> face_names{"x-", "x+", "y-", "y+", "z-", "z+"};

/// Is the geometry of a box whose grid is the product of its axes.
struct BoxGeometry {
  int dimension = 3;  ///< 2: the first two axes
  Centering centering = Centering::node;
  /// Contains the node coordinates of each axis: strictly increasing, and at least three. Unused axes are empty.
  std::array<std::vector<double>, 3> nodes;
};

/// Describes a problem on a box: its equation, its geometry, and a condition for each face.
struct Problem : EquationData, BoxGeometry {
  std::array<std::array<Boundary, 2>, 3> boundary;  ///< [axis][0 lower, 1 upper]
  Scheme scheme = Scheme::fv;
  /// Contains materials and the regions that they fill (media.hpp); cells only. Null: κ is `coefficient`.
  std::shared_ptr<const Media> media;

  /// Return the condition on the face of this name. Throw std::out_of_range, with the names of the faces, if the box
  /// has no such face.
  Boundary& condition(std::string_view face);
  const Boundary& condition(std::string_view face) const;
};

}  // namespace poisson
