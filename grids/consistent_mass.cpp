#include "grids/consistent_mass.hpp"

#include <algorithm>

#include "grids/sampling.hpp"

namespace poisson {
namespace {

// What a value in each cell brings to the node above it and to the one below it, in widths of the cell.
std::vector<std::array<double, 3>> hats(const Axis& axis, double to_upper, double to_lower) {
  std::vector<std::array<double, 3>> rows;
  for (int i = 0; i < axis.size(); ++i)
    rows.push_back(axis.degenerate() ? std::array{0.0, 1.0, 0.0}
                                     : std::array{to_upper * axis.width(i - 1), to_lower * axis.width(i), 0.0});
  return rows;
}

}  // namespace

MassRows consistent_mass(const Block& block, Scheme scheme, int face_axis) {
  const double off = element_mass(scheme).off;
  MassRows rows;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    const bool whole = axis.degenerate() || static_cast<int>(d) == face_axis;
    for (int i = 0; i < axis.size(); ++i) {
      const double before = off * axis.width(i - 1), after = off * axis.width(i);
      rows[d].push_back(whole ? std::array{0.0, 1.0, 0.0} : std::array{before, axis.mass(i) - before - after, after});
    }
  }
  return rows;
}

MassRows hats_of_points(const Block& block, const std::array<int, 3>& point, int face_axis, int end) {
  // Of points at t and 1 − t, from either node: what is 1 brings h/2, what grows linearly h²/6, as against its hat.
  const double t = element_point(0, face_axis >= 0), far = (1.0 / 6 - 0.5 * t) / (1 - 2 * t), near = 0.5 - far;
  MassRows rows;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    rows[d] = point[d] == 0 ? hats(axis, far, near) : hats(axis, near, far);
    if (static_cast<int>(d) == face_axis)
      std::ranges::fill(rows[d], end == 0 ? std::array{1.0, 0.0, 0.0} : std::array{0.0, 1.0, 0.0});
  }
  return rows;
}

MassRows hats_of_cells(const Block& block) {
  MassRows rows;
  for (std::size_t d = 0; d < 3; ++d) rows[d] = hats(block.axes[d], 0.5, 0.5);
  return rows;
}

Box cells_around(const Block& block, const Box& nodes, int face_axis, int end) {
  Box cells = block.cell_layout().box();
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    if (static_cast<int>(d) == face_axis) {
      cells.first[d] = end == 0 ? -1 : axis.cells();
      cells.last[d] = cells.first[d] + 1;
    } else {
      cells.first[d] = std::max(nodes.first[d] - 1, axis.periodic() ? -1 : 0);
      cells.last[d] = std::min(nodes.last[d], axis.cells());
    }
  }
  return cells;
}

}  // namespace poisson
