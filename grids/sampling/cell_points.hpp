#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grids/axes/axis.hpp"

namespace poisson {

/// Where in each cell a scheme evaluates data on cells.
enum class CellPoints {
  centres,
  /// Past the ends just inside, so that a piece of κ that ends there reaches the face; else in the centres.
  inside_ends,
  /// The end cells' points lean towards Neumann and Robin ends, as elements want it where something flows through them:
  /// against the hat function of an end's node, κ and α of the centre weigh their slope by h²/12 too little. Along a
  /// face neighbouring cells make up for it, but where two faces meet a source of O(h²) would remain, and with it an
  /// error of h² log(1/h). With the point moved by h/12 nothing remains (Euler and Maclaurin's formula, first term).
  leaning
};

/// The point of cell i, −1 ≤ i ≤ cells(), as part of the cell's width; and its coordinate, past open ends on them.
double cell_fraction(const Axis& axis, CellPoints points, int i);
double cell_coordinate(const Axis& axis, CellPoints points, int i);
/// Of the cells −1 … cells(), in two dimensions −1 … 1 along the third axis.
std::vector<double> cell_coordinates(const Axis& axis, CellPoints points);

/// A κ that an operator computes wherever a row needs it: its source text, one expression when isotropic, else one for
/// each direction, and where in the cells it is evaluated.
struct KappaSource {
  std::vector<std::string> expressions;
  CellPoints points = CellPoints::centres;
};

}  // namespace poisson
