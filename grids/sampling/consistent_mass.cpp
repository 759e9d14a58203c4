#include "grids/sampling/consistent_mass.hpp"

#include <algorithm>

namespace poisson {
namespace {

// Returns the contributions of a value in each cell to the node above and to the node below, in widths of the cell.
std::vector<std::array<double, 3>> parts(const Axis& axis, double to_upper, double to_lower) {
  std::vector<std::array<double, 3>> rows;
  for (int i = 0; i < axis.size(); ++i)
    rows.push_back(axis.degenerate() ? std::array{0.0, 1.0, 0.0}
                                     : std::array{to_upper * axis.width(i - 1), to_lower * axis.width(i), 0.0});
  return rows;
}

// Returns full weight for the cell beyond an end, which is the face.
std::vector<std::array<double, 3>> past_end(const Axis& axis, int end) {
  return std::vector(static_cast<std::size_t>(axis.size()),
                     end == 0 ? std::array{1.0, 0.0, 0.0} : std::array{0.0, 1.0, 0.0});
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

MassRows mass_of_corner(const Block& block, const std::array<int, 3>& corner, int face_axis, int end) {
  const auto [own, off] = element_mass(Scheme::q1);
  MassRows rows;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool upper = corner[d] == 1;
    rows[d] = static_cast<int>(d) == face_axis ? past_end(block.axes[d], end)
                                               : parts(block.axes[d], upper ? own : off, upper ? off : own);
  }
  return rows;
}

MassRows mass_of_cells(const Block& block, int face_axis, int end) {
  MassRows rows;
  for (std::size_t d = 0; d < 3; ++d)
    rows[d] = static_cast<int>(d) == face_axis ? past_end(block.axes[d], end) : parts(block.axes[d], 0.5, 0.5);
  return rows;
}

Box cells_around(const Block& block, const Box& nodes, int face_axis, int end) {
  Box cells = block.cell_layout().box();
  if (nodes.size() == 0) return {};
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    if (static_cast<int>(d) == face_axis) {
      cells.first[d] = end == 0 ? -1 : axis.cells();
      cells.last[d] = cells.first[d] + 1;
    } else {
      cells.first[d] = std::max(nodes.first[d] - 1, axis.open(0) ? 0 : -1);
      cells.last[d] = std::min(nodes.last[d], axis.cells());
    }
  }
  return cells;
}

}  // namespace poisson
