#pragma once

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/quantity.hpp"
#include "grids/sampling/cell_points.hpp"

namespace poisson {

/// Reports that a datum of the problem has an invalid value. The message names the datum, the value and the point.
struct ValueError : InputError {
  ValueError(std::string name, std::array<double, 3> at, double found, std::string wanted);

  std::string quantity;         ///< is source, coefficient.x, boundary.z+.alpha, …
  std::array<double, 3> point;  ///< is the first such point in memory order
  double value;
  std::string requirement;  ///< must be finite, must be greater than 0, …
};

/// Reports invalid values of several data, with one line for each in the message.
struct ValueErrors : InputError {
  explicit ValueErrors(std::vector<ValueError> found);

  std::vector<ValueError> errors;
};

enum class Sign { any, nonnegative, positive };

/// Selects the nodes of a block, and the points at which its cells are evaluated.
struct SampleGrid {
  const Block& block;
  CellPoints cells = CellPoints::centres;
};

/// Evaluates a quantity on a box of nodes or cells, line by line on several threads. sink(j, k, values) receives the
/// values of box.first[0] ≤ i < box.last[0]. Values given on cells are averaged by volume at nodes; values given on
/// nodes are interpolated to the points of cells. Throws ValueError if a value is not finite or has the wrong sign.
using LineSink = std::function<void(int j, int k, const double* values)>;
void sample(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid, Location location,
            const Box& box, const LineSink& sink);

/// Returns all values of a box, x fastest.
std::vector<double> sample(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid,
                           Location location, const Box& box);

/// Integrates a datum over the volume that each node of a box represents; with a `face_axis` (−1: none) over the area
/// on a face across that axis. `sink` and errors are as for sample(). A function is evaluated at one point in each part
/// of the volume, one part for each cell around the node. The integral is therefore exact if the function jumps on
/// planes of the grid only. For smooth f the result integrates f + part_point²/2 h² Δf instead of f. Values on nodes
/// are multiplied by the volumes.
void integrate(const Quantity& quantity, std::string_view name, Sign sign, const Block& block, const Box& box,
               int face_axis, const LineSink& sink);

/// Collects one sum for each line of a box, each written by one thread. The total is formed by planes, in two
/// dimensions by lines, in their order, so that it does not depend on the number of threads.
class LineSums {
 public:
  explicit LineSums(const Box& box)
      : box_(box), sums_(static_cast<std::size_t>((box.last[1] - box.first[1]) * (box.last[2] - box.first[2]))) {}

  double& operator()(int j, int k) {
    return sums_[static_cast<std::size_t>((k - box_.first[2]) * (box_.last[1] - box_.first[1]) + j - box_.first[1])];
  }
  /// Returns the sum of each plane. For a grid that is one plane it returns the sum of each line.
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

/// Gives the point at which a node's part of a cell is evaluated, as the distance from the node in widths of the cell,
/// between equal cells. A point in the middle of the part, at 1/4, would cause an error of h²/32 Δf; this point causes
/// 0.09 times as much. Let e be the error of values at nodes, and E the error of h²/32 |Δf|. The sum e + 0.09 E then
/// never exceeds the larger of 1.1 e and E.
inline constexpr double part_point = 0.075;

/// Describes the part of a cell that belongs to a value of an axis: its length, which is 0 beyond open ends, and the
/// point at which data are evaluated. parts_of returns the parts in the cells below and above value i.
struct Part {
  double at, length;
};
std::array<Part, 2> parts_of(const Axis& axis, int i, bool on_face);

/// Samples a function at a corner of each cell, as seen from within the cell. `corner` selects the lower (0) or the
/// upper (1) corner along each axis. A face across `face_axis` is sampled in the cells beyond its open end.
void sample_corners(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid,
                    const Box& cells, const std::array<int, 3>& corner, int face_axis, const LineSink& sink);
/// Returns the coordinate of such a corner along an axis, for −1 ≤ cell ≤ cells(). Beyond open ends it is in the cell
/// inside.
double corner_coordinate(const Axis& axis, int cell, int corner);

/// Returns the coordinates of the nodes of an axis.
std::vector<double> node_coordinates(const Axis& axis);

/// Returns the nodes of a face (axis `axis`, end 0 or 1), or for cell-centred blocks the cells beyond the face. The box
/// is empty if the process's part of the block does not reach the face, or if the axis is periodic.
Box face_box(const Block& block, int axis, int end);

}  // namespace poisson
