#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grids/axes/axis.hpp"

namespace poisson {

/// Selects where in each cell a scheme evaluates data on cells.
enum class CellPoints {
  centres,
  /// Cell centres inside the grid; beyond open ends a point just inside the face, so that a piece of κ that ends there
  /// reaches the face.
  inside_ends,
  /// Cell centres, but in the end cells the points lean towards Neumann and Robin ends. Elements need this if a flux
  /// crosses the end: against the hat function of the end node, κ and α of the centre give their slope too little
  /// weight, by h²/12. Along a face the neighbouring cells compensate for this. Where two faces meet, a source of O(h²)
  /// would remain and cause an error of h² log(1/h). Moving the point by h/12 removes this error (first term of the
  /// Euler–Maclaurin formula).
  leaning
};

/// Return the point of cell i, −1 ≤ i ≤ cells(), as a fraction of the cell's width, and its coordinate. Beyond open
/// ends the coordinate is that of the end.
double cell_fraction(const Axis& axis, CellPoints points, int i);
double cell_coordinate(const Axis& axis, CellPoints points, int i);
/// Returns the coordinates of cells −1 … cells(). Along the third axis of a two-dimensional block these are cells −1 …
/// 1.
std::vector<double> cell_coordinates(const Axis& axis, CellPoints points);

/// Describes a κ that an operator computes wherever a row needs it. It has one source expression if κ is isotropic,
/// otherwise one for each direction, and the points at which cells are evaluated.
struct KappaSource {
  std::vector<std::string> expressions;
  CellPoints points = CellPoints::centres;
};

}  // namespace poisson
