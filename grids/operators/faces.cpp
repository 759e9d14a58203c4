#include "grids/operators/faces.hpp"

#include "backends/cpu/launch.hpp"

namespace poisson {

Layout ends_layout(const Block& block, std::size_t axis) {
  Layout layout = block.layout();
  layout.n[axis] = 4;
  layout.periodic[axis] = false;
  return layout;
}

void faces_from_cells(const Block& block, std::size_t axis, const Field& cells, const Field* ends, Field& faces) {
  const Axis& along = block.axes[axis];
  const auto kappa = cells.view<double>();
  const auto out = faces.view<double>();
  const int n = out.n[axis];
  Box box = faces.layout().box();
  if (!along.periodic()) ++box.last[axis];
  cpu::for_each_line(box, [&](int j, int k) {
    for (int i = box.first[0]; i < box.last[0]; ++i) {
      std::array below{i, j, k}, above{i, j, k}, end{i, j, k};
      const int face = above[axis];
      const bool lower = face == 0, upper = face == n;
      below[axis] = along.periodic() && lower ? n - 1 : lower ? 0 : face - 1;
      if (upper) above[axis] = n - 1;
      const double k0 = kappa(below[0], below[1], below[2]), k1 = kappa(above[0], above[1], above[2]);
      const double h0 = along.width(below[axis]), h1 = along.width(above[axis]);
      double value = harmonic_face(k0, h0, k1, h1);
      if (!along.periodic() && (lower || upper)) {
        value = k0;
        if (along.kind(lower ? 0 : 1) == BoundaryKind::robin) {
          const auto held = ends->view<double>();
          end[axis] = lower ? 1 : 3;
          value = robin_face(k0, held(end[0], end[1], end[2]), h0);
        }
      }
      out(i, j, k) = value;
    }
  });
}

std::array<AxisRows, 3> blended_faces(const Block& fine, const CoarseBlock& coarse, std::size_t axis) {
  std::array<AxisRows, 3> rows;
  for (std::size_t d = 0; d < 3; ++d)
    if (d != axis) rows[d] = cell_means(fine.axes[d], coarse.axes[d]);
  const int n = fine.axes[axis].cells();
  rows[axis].add({0, 0, 0, 0}, {1, 0, 0, 0}, 1);  // there is no face −1
  for (const double place : coarse.axes[axis].place) {
    const int below = static_cast<int>(place);
    const double share = place - below;
    const int above = below + 1 == n && fine.axes[axis].periodic() ? 0 : below + 1;
    rows[axis].add({below, above, below, below}, {1 - share, share, 0, 0}, share > 0 ? 2 : 1);
  }
  return rows;
}

}  // namespace poisson
