#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/error.hpp"
#include "grids/block.hpp"
#include "grids/quantity.hpp"

namespace poisson {

/// A datum of the problem has a value that it must not have. what() names the datum, the value and the point.
struct ValueError : InputError {
  ValueError(std::string name, std::array<double, 3> at, double found, std::string wanted);

  std::string quantity;         ///< source, coefficient.x, boundary.z+.alpha, …
  std::array<double, 3> point;  ///< the first such point in memory order
  double value;
  std::string requirement;  ///< must be finite, must be greater than 0, …
};

/// Several data have bad values; what() has a line for each.
struct ValueErrors : InputError {
  explicit ValueErrors(std::vector<ValueError> found);

  std::vector<ValueError> errors;
};

enum class Sign { any, nonnegative, positive };

/// Evaluates a quantity on a box of the nodes or cells of a block, line by line on several threads: sink(j, k, values)
/// gets the values of box.first[0] ≤ i < box.last[0]. Cells are evaluated at their axes' sample points, the centres but
/// next to some ends, those past an end on it. Values given on cells reach nodes as the mean by volume, values given on
/// nodes are interpolated to the sample points of cells. Throws ValueError where a value is not finite or of the wrong
/// sign.
using LineSink = std::function<void(int j, int k, const double* values)>;
void sample(const Quantity& quantity, std::string_view name, Sign sign, const Block& block, Location location,
            const Box& box, const LineSink& sink);

/// All values of a box, x fastest.
std::vector<double> sample(const Quantity& quantity, std::string_view name, Sign sign, const Block& block,
                           Location location, const Box& box);

/// Where the nodes of an axis are, and where its cells −1 … n are: in their centres; beyond open ends on the face, on
/// periodic axes on the other side.
std::vector<double> node_coordinates(const Axis& axis);
std::vector<double> cell_coordinates(const Axis& axis);

/// The nodes of a face: axis `axis`, end 0 or 1. Cell-centred: the cells past it.
Box face_box(const Block& block, int axis, int end);

}  // namespace poisson
