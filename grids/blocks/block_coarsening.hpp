#pragma once

#include <vector>

namespace poisson {

/// Returns the first cell of each coarse cell of an axis, and the number of cells: pairs; if it is odd, one or three in
/// the middle and perhaps one at each end. The pattern is the same from both ends, because blocks may run either way.
std::vector<int> coarse_cells(int cells);
/// Returns those of an axis that has `coarse` cells on the next level: all cells if their number stays.
std::vector<int> coarse_cells(int cells, int coarse);

/// Returns those of the nodes of an axis that are nodes of the next level, with `coarse` cells.
std::vector<int> coarse_nodes(const std::vector<int>& nodes, int coarse);

/// Returns the widths of the `coarse` cells of the next level in terms of those of the finest level, from those of this
/// level.
std::vector<double> coarse_widths(const std::vector<double>& widths, int coarse);

/// Describes how the nodes of an axis are interpolated from coarse nodes: value(i) = (1 − t) c(index) + t c(index + 1).
struct AxisInterpolation {
  struct Node {
    int index = 0;
    double t = 0;
  };
  struct Share {
    int node = 0;
    double weight = 0;
  };
  std::vector<Node> nodes;                 ///< of each fine node
  std::vector<std::vector<Share>> shares;  ///< of each coarse node: the fine nodes that it reaches
};
/// Returns linear interpolation from a level with `coarse` cells along the axis, by the widths of cells as
/// coarse_widths() counts them: all cells of the finest level have the same one. An axis of no cells (z in the plane)
/// has one node.
AxisInterpolation interpolate_axis(const std::vector<double>& widths, int coarse);

}  // namespace poisson
