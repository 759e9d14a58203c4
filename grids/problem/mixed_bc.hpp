#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// Describes a part of a face and its boundary condition.
struct FacePart {
  Boundary boundary;     ///< is not periodic; data are numbers or functions
  Quantity where = 1.0;  ///< a function that is not zero on the part; a number applies everywhere
};

/// This α turns a Robin face into a Dirichlet face. The coupling κα/(κ + αh/2) to the middle of a cell equals κ over
/// half a cell to the last bit. The value on the face is g/α.
inline constexpr double penalty_alpha = 0x1p332;  // a power of two scales without rounding

/// Returns a face with several boundary conditions. At each point the condition of the first part that contains it
/// applies; without a part the flux is zero.
///
/// The result is a Robin face α u + κ ∂u/∂n = g. The other conditions are limits of it: Neumann parts have α = 0, and
/// Dirichlet parts a very large α. Unknowns in cells use this Robin condition; unknowns at nodes use the parts. Throws
/// std::invalid_argument if a part is periodic or has several conditions itself.
Boundary mixed_bc(std::vector<FacePart> parts);

/// Returns the parts of a face that mixed_bc made. Throws std::logic_error for any other face.
const std::vector<FacePart>& parts_of(const Boundary& face);
/// Returns α on the Robin parts of the face and 0 on all other parts.
Quantity passing_alpha(const Boundary& face);
/// Returns the number of the first part at each point, or −1 if there is none.
std::vector<int> first_part(const std::vector<FacePart>& parts, std::span<const double> x, std::span<const double> y,
                            std::span<const double> z);
/// Returns the numbers of the parts that are not the first part at any point of a grid with these coordinates.
std::vector<std::size_t> parts_without_points(const Boundary& face, const std::array<std::vector<double>, 3>& at);
/// Evaluates a datum of a part at points. Throws std::invalid_argument if the datum is an array.
void evaluate_at(std::span<const double> x, std::span<const double> y, std::span<const double> z, const Quantity& datum,
                 std::span<double> values);

}  // namespace poisson
