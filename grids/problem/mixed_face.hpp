#pragma once

#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// A part of a face, and what holds there.
struct FacePart {
  Boundary boundary;     ///< of any kind but periodic; data that are numbers or functions
  Quantity where = 1.0;  ///< a function that is not zero on the part; a number: everywhere
};

/// α of Robin faces on which u is held: κα/(κ + αh/2), what such a face lets through to the middle of a cell, is κ over
/// half a cell to the last bit, and g/α the value on it.
inline constexpr double holding_alpha = 0x1p332;  // a power of two: it scales without rounding

/// A face of several kinds, for unknowns in cells: at each point holds what the first part says that lies there; where
/// none does, nothing passes. It is a Robin face α u + κ ∂u/∂n = g, of which the other kinds are limits: Neumann faces
/// are those of α = 0, Dirichlet faces those of a great α.
Boundary mixed_face(std::vector<FacePart> parts);

}  // namespace poisson
