#pragma once

#include <array>
#include <cstddef>
#include <span>
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

/// A face of several kinds: at each point holds what the first part says that lies there; where none does, nothing
/// passes. It is a Robin face α u + κ ∂u/∂n = g, of which the other kinds are limits: Neumann faces are those of α = 0,
/// Dirichlet faces those of a great α. Unknowns in cells take it as that; those at nodes ask for its parts.
Boundary mixed_face(std::vector<FacePart> parts);

/// The parts of a face that mixed_face made.
const std::vector<FacePart>& parts_of(const Boundary& face);
/// α of its Robin parts, and 0 on all others.
Quantity passing_alpha(const Boundary& face);
/// The number of the first part at each point; −1 where there is none.
std::vector<int> first_part(const std::vector<FacePart>& parts, std::span<const double> x, std::span<const double> y,
                            std::span<const double> z);
/// The numbers of the parts of a face that are the first at no point of a grid of these coordinates.
std::vector<std::size_t> parts_without_points(const Boundary& face, const std::array<std::vector<double>, 3>& at);
/// A part's datum at points.
void evaluate_at(std::span<const double> x, std::span<const double> y, std::span<const double> z, const Quantity& datum,
                 std::span<double> values);

}  // namespace poisson
