#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Contains the answers for a face of the domain, or for a part of it that has its own condition. Places are centres of
/// the faces of cells.
struct FaceResult {
  int axis = 0, end = 0;
  int part = -1;  ///< number of the condition in parts_of (mixed_bc.hpp); −1: all of the face
  BoundaryKind kind = BoundaryKind::dirichlet;  ///< of the condition; robin for all of a face with several conditions
  std::int64_t cells = 0;                       ///< behind the face, whose face centres lie in the part
  double area = 0;                              ///< of their faces; in the plane a length
  double flow = 0;                              ///< ∫ κ ∂u/∂n: flow into the domain is positive
  /// Are u on the face, weighted by area, next to cells that have a solution; NaN if there are none.
  double mean = 0, min = 0, max = 0;
  std::array<double, 3> min_at{}, max_at{};
};

/// Computes the answers for all faces that are not periodic, each followed by its parts if it has several conditions.
/// Needs unknowns in cells. The flow gives u on a face: u of the cell plus flux · h/2 / κ. Collective.
std::vector<FaceResult> face_results(const Discretization& discretization, const Field& u);

}  // namespace poisson
