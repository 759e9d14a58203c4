#include "grids/sampling/cell_points.hpp"

#include <algorithm>
#include <cmath>

namespace poisson {

double cell_fraction(const Axis& axis, CellPoints points, int i) {
  const auto leans = [&](int end) {
    return points == CellPoints::leaning && axis.open(end) && axis.kind(end) != BoundaryKind::dirichlet;
  };
  return 0.5 + ((i == axis.cells() - 1 && leans(1) ? 1 : 0) - (i == 0 && leans(0) ? 1 : 0)) / 12.0;
}

double cell_coordinate(const Axis& axis, CellPoints points, int i) {
  const double at = axis.point_in_cell(i, cell_fraction(axis, points, i));
  const bool beyond = axis.width(i) == 0;
  if (points != CellPoints::inside_ends || !beyond) return at;
  const double inset = std::ldexp(1.0, -20);
  return i < 0 ? at + inset * axis.width(0) : at - inset * axis.width(i - 1);
}

std::vector<double> cell_coordinates(const Axis& axis, CellPoints points) {
  std::vector<double> x;
  for (int i = -1; i <= std::max(1, axis.cells()); ++i) x.push_back(cell_coordinate(axis, points, i));
  return x;
}

}  // namespace poisson
