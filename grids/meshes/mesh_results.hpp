#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "grids/meshes/mesh_system.hpp"

namespace poisson {

/// Contains integrals and extrema of a solution on a mesh.
struct MeshIntegrals {
  double least = 0, largest = 0, integral = 0, l2 = 0;
  std::array<double, 3> least_at{}, largest_at{};
  double source = 0, reaction = 0;            ///< ∫ f and ∫ σ u
  double source_size = 0, reaction_size = 0;  ///< ∫ |f| and ∫ |σ u|
};
MeshIntegrals integrate(const MeshData& data, const std::vector<double>& u);

/// Returns the least and the largest width of elements: the square or cube root of their measure.
std::array<double, 2> extreme_widths(const MeshData& data);

/// Contains the flow ∫ κ ∂u/∂n through the points and sides of a condition, into the domain.
struct ConditionFlow {
  double flow = 0, measure = 0, mean = 0;  ///< mean of u on its sides, else at its points; NaN: it has none
  double least = 0, largest = 0;           ///< of u there
  double size = 0;                         ///< sum of |flow| of its sides and points
  std::int64_t facets = 0;
};
/// Returns the flow of each condition. That of Dirichlet conditions is the sum of reactions, which is accurate to the
/// order of the energy and balances exactly. A point shared by several of them counts in proportion to their sides.
std::vector<ConditionFlow> condition_flows(const MeshData& data, const std::vector<double>& u);

/// Returns max |u − exact| at points, and the L2 norm of the difference by the rules of the elements.
struct MeshError {
  double largest = 0, l2 = 0;
};
MeshError error_of(const MeshData& data, const std::vector<double>& u, const Quantity& exact);

/// Interpolates values of points at a point of the rule of an element.
inline double interpolated(const ElementRule& rule, std::size_t point, std::span<const int> corners,
                           const std::vector<double>& u) {
  double sum = 0;
  for (std::size_t c = 0; c < corners.size(); ++c)
    sum += rule.value[point][c] * u[static_cast<std::size_t>(corners[c])];
  return sum;
}
/// Returns the mean of grad u in an element.
std::array<double, 3> mean_gradient(const MeshData& data, std::int64_t element, const std::vector<double>& u);
/// Returns −κ grad u at the centre of each element, three components each.
std::vector<double> element_flux(const MeshData& data, const std::vector<double>& u);

/// Estimates the relative error of the flux in energy: the distance of grad u from its mean at points (Zienkiewicz and
/// Zhu, Int. J. Numer. Methods Eng. 24, 1987, 337), over grad u. Means are taken over elements of equal κ, or of the
/// same groups if κ varies little, so jumps of κ count as far as they are errors.
double recovered_error(const MeshData& data, const std::vector<double>& u);

/// Is a place in an element: the values of its shape functions there.
struct MeshPlace {
  std::int64_t cell = 0;
  std::array<double, most_corners> weights{};
};
/// Finds places in one pass over all elements: the first element that contains each, or nothing outside of the mesh.
std::vector<std::optional<MeshPlace>> locate(const MeshData& data, const std::vector<std::array<double, 3>>& places);
double interpolate(const MeshData& data, const std::vector<double>& u, const MeshPlace& place);

/// Returns u at a place, or nothing outside of the mesh.
std::optional<double> value_at(const MeshData& data, const std::vector<double>& u, const std::array<double, 3>& place);

}  // namespace poisson
