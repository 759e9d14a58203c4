#include "grids/faces.hpp"

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

void coarsen_ends(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                  const Field& fine_ends, Field& coarse_ends) {
  Block block = fine;
  CoarseBlock next = coarse;
  block.axes[axis] = Axis({0, 1, 2, 3, 4}, BoundaryKind::neumann, BoundaryKind::neumann, {}, Centering::cell);
  next.axes[axis] = keep(block.axes[axis]);
  next.block.axes[axis] = block.axes[axis];
  coarsen_cells(backend, block, next, fine_ends, coarse_ends);
}

}  // namespace poisson
