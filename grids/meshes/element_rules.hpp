#pragma once

#include <array>
#include <span>

#include "grids/meshes/mesh.hpp"

namespace poisson {

inline constexpr std::size_t most_corners = 8, most_points = 12;

/// Contains the shape functions of linear elements at the points of a quadrature rule on the reference element.
struct ElementRule {
  int corners = 0, dimension = 0, points = 0;
  std::array<double, most_points> weight{};
  std::array<std::array<double, most_corners>, most_points> value{};
  std::array<std::array<std::array<double, 3>, most_corners>, most_points> slope{};  ///< in reference coordinates
};

/// Returns the rule of a shape. Products of two linear functions are exact on simplices and on boxes. The functions of
/// a pyramid are rational: (1 ± ξ)(1 ± η)(1 − z)/4 with x = ξ (1 − z) and y = η (1 − z), and z (Bedrosian, Int. J.
/// Numer. Methods Eng. 35, 1992, 95). The integrals of their gradients are exact, so linear functions pass the patch
/// test.
const ElementRule& rule_of(CellShape shape);

/// Computes shape functions and their reference slopes at a point of the reference element. Points of simplices are in
/// [0, 1], of others in [−1, 1] except the height of a pyramid in [0, 1] and the triangle of a prism.
void shape_functions(CellShape shape, const std::array<double, 3>& at, std::array<double, most_corners>& value,
                     std::array<std::array<double, 3>, most_corners>& slope);

/// Contains an element at a quadrature point: the weight times the measure, and slopes in space.
struct ElementPoint {
  double measure = 0;  ///< negative if the element is inverted there
  std::array<std::array<double, 3>, most_corners> slope{};
};
/// Maps a quadrature point. `corners` are coordinates. In the plane z is ignored.
void map_point(const ElementRule& rule, int point, std::span<const std::array<double, 3>> corners,
               ElementPoint& mapped);

/// Returns what map_point computes as the measure.
double mapped_measure(const ElementRule& rule, int point, std::span<const std::array<double, 3>> corners);

/// Returns the length, area or volume of one weight at a point of an element of lower dimension than its space.
double facet_measure(const ElementRule& rule, int point, std::span<const std::array<double, 3>> corners);

/// Returns the length, area or volume of an element, not negative.
double measure_of(const Mesh& mesh, CellShape shape, std::span<const int> corners);
/// Returns the least and the largest determinant over the quadrature points of an element, relative to their mean size.
struct Determinants {
  double least = 0, largest = 0;
};
Determinants determinants_of(const Mesh& mesh, CellShape shape, std::span<const int> corners);

}  // namespace poisson
