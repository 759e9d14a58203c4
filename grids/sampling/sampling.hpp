#pragma once

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "backends/error.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/quantity.hpp"
#include "grids/sampling/cell_points.hpp"

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

/// The nodes of a block, and the points that stand for its cells.
struct SampleGrid {
  const Block& block;
  CellPoints cells = CellPoints::centres;
};

/// Evaluates a quantity on a box of nodes or cells, line by line on several threads: sink(j, k, values) gets the values
/// of box.first[0] ≤ i < box.last[0]. Values given on cells reach nodes as the mean by volume, values given on nodes
/// are interpolated to the points of cells. Throws ValueError where a value is not finite or of the wrong sign.
using LineSink = std::function<void(int j, int k, const double* values)>;
void sample(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid, Location location,
            const Box& box, const LineSink& sink);

/// All values of a box, x fastest.
std::vector<double> sample(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid,
                           Location location, const Box& box);

/// The integral of a datum over the volume that each node of a box stands for, on a face across `face_axis` (−1: none)
/// over its area; sink and errors as of sample(). A function is taken at a point of each part that a volume has in one
/// of the cells around its node: where it jumps on planes of the grid alone, the integral is exact. For smooth f that
/// is f + part_point²/2 h² Δf in place of f. Values on nodes are multiplied with the volumes.
void integrate(const Quantity& quantity, std::string_view name, Sign sign, const Block& block, const Box& box,
               int face_axis, const LineSink& sink);

/// The sum of a box's values, each line given to collect by a thread of its own; by planes, in two dimensions by lines,
/// in their order: the same whatever the number of threads.
class LineSums {
 public:
  explicit LineSums(const Box& box)
      : box_(box), sums_(static_cast<std::size_t>((box.last[1] - box.first[1]) * (box.last[2] - box.first[2]))) {}

  double& operator()(int j, int k) {
    return sums_[static_cast<std::size_t>((k - box_.first[2]) * (box_.last[1] - box_.first[1]) + j - box_.first[1])];
  }
  /// Of each plane; of a grid that is one plane, of each line.
  std::vector<double> of_planes(bool flat) const {
    if (flat) return sums_;
    const auto lines = box_.last[1] - box_.first[1];
    std::vector<double> planes;
    for (auto plane = sums_.begin(); plane != sums_.end(); plane += lines)
      planes.push_back(std::accumulate(plane, plane + lines, 0.0));
    return planes;
  }

 private:
  Box box_;
  std::vector<double> sums_;
};

/// Where in a cell a node's part of it is evaluated, from the node on in widths of the cell, between equal cells.
/// Points in the middle of the parts, at 1/4, would make h²/32 Δf of it, this one 0.09 times that: with the error e of
/// values at nodes and E that of h²/32 |Δf|, no sum e + 0.09 E is above the larger one of 1.1 e and E.
inline constexpr double part_point = 0.075;

/// What value i of an axis has in the cell below it and in the one above: a length, 0 past open ends, and where data
/// are taken for it.
struct Part {
  double at, length;
};
std::array<Part, 2> parts_of(const Axis& axis, int i, bool on_face);

/// A function as a corner of each cell has it within the cell, the lower (0) or the upper (1) one along each axis.
/// Cells past an open end across `face_axis` stand for that face.
void sample_corners(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid,
                    const Box& cells, const std::array<int, 3>& corner, int face_axis, const LineSink& sink);
/// Where that is along an axis, in cell −1 ≤ cell ≤ cells(): past open ends in the one inside.
double corner_coordinate(const Axis& axis, int cell, int corner);

/// Where the nodes of an axis are, and where its cells −1 … n are: in their centres; beyond open ends on the face, on
/// periodic axes on the other side.
std::vector<double> node_coordinates(const Axis& axis);

/// The nodes of a face: axis `axis`, end 0 or 1. Cell-centred: the cells past it. Empty where a part of a block does
/// not reach the face, and where an axis is periodic.
Box face_box(const Block& block, int axis, int end);

}  // namespace poisson
