#include "grids/operators/faces.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/launch.hpp"

namespace poisson {

Space ends_space(const Block& block, std::size_t axis) {
  Layout layout = block.layout();
  layout.n[axis] = 4;
  layout.periodic[axis] = false;
  if (!block.share) return layout;
  Share share = *block.share;
  auto& first = share.cuts.first[axis];
  for (std::size_t part = 0; part < first.size(); ++part) first[part] = 4 * static_cast<int>(part);
  share.cuts.n[axis] = 4 * static_cast<int>(first.size());
  share.cuts.periodic[axis] = false;
  return {share, {{}, share.cuts.n}};
}

void faces_from_cells(const Block& block, std::size_t axis, const Field& cells, const Field* ends, Field& faces) {
  const Axis& along = block.axes[axis];
  const auto kappa = cells.view<double>();
  const auto out = faces.view<double>();
  const int n = out.n[axis];
  Box box = faces.layout().box();
  if (along.open(1)) ++box.last[axis];
  cpu::for_each_line(box, [&](int j, int k) {
    for (int i = box.first[0]; i < box.last[0]; ++i) {
      std::array below{i, j, k}, above{i, j, k}, end{i, j, k};
      const int face = above[axis];
      const bool lower = face == 0 && along.open(0), upper = face == n && along.open(1);
      below[axis] = along.periodic() && face == 0 ? n - 1 : lower ? 0 : face - 1;
      if (upper) above[axis] = n - 1;
      const double k0 = kappa(below[0], below[1], below[2]), k1 = kappa(above[0], above[1], above[2]);
      const double h0 = along.width(below[axis]), h1 = along.width(above[axis]);
      double value = harmonic_face(k0, h0, k1, h1);
      if (lower || upper) {
        value = k0;
        if (along.kind(lower ? 0 : 1) == BoundaryKind::robin) {
          const auto stored = ends->view<double>();
          end[axis] = lower ? 1 : 3;
          value = robin_face(k0, stored(end[0], end[1], end[2]), h0);
        }
      }
      out(i, j, k) = value;
    }
  });
}

CoarseFaceTables::CoarseFaceTables(const Axis& fine, const CoarseAxis& coarse) {
  const Axis& axis = coarse.axis;
  const int all_fine = std::max(1, fine.all_cells()), all_coarse = std::max(1, axis.all_cells());
  const int n = std::max(1, fine.cells()), N = std::max(1, axis.cells());
  for (int I = -before_begin; I <= N + 1; ++I) {
    const int at = I + axis.origin();
    const int turns = !axis.closed() ? 0 : at < 0 ? -1 : at / all_coarse;
    begin.push_back(coarse.node(std::clamp(at - turns * all_coarse, 0, all_coarse)) + turns * all_fine - fine.origin());
  }
  for (int i = -before_width; i < n + before_width; ++i)
    width.push_back(fine.width(std::clamp(i, -all_fine, n - 1 + all_fine)));
  along = {nullptr, nullptr, n, N, fine.periodic(), {fine.open(0), fine.open(1)}};
}

std::array<AxisRows, 3> blended_faces(const Block& fine, const CoarseBlock& coarse, std::size_t axis) {
  std::array<AxisRows, 3> rows;
  for (std::size_t d = 0; d < 3; ++d)
    if (d != axis) rows[d] = cell_means(fine.axes[d], coarse.axes[d]);
  const Axis &from = fine.axes[axis], &to = coarse.axes[axis].axis;
  rows[axis].add({0, 0, 0, 0}, {1, 0, 0, 0}, 1);  // there is no face −1
  for (int I = to.origin(); I <= to.origin() + to.cells(); ++I) {
    const double place = coarse.axes[axis].place[static_cast<std::size_t>(I)] - from.origin();
    const int below = static_cast<int>(std::floor(place));
    const double share = place - below;
    const int above = below + 1 == from.cells() && from.periodic() ? 0 : below + 1;
    rows[axis].add({below, above, below, below}, {1 - share, share, 0, 0}, share > 0 ? 2 : 1);
  }
  return rows;
}

}  // namespace poisson
