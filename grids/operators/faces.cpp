#include "grids/operators/faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/operators/coarse_face_tables.hpp"

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

namespace {

// Returns κ of a face; 0 where no cell beside it conducts.
double kappa_of(const FaceMean& mean) {
  return mean.below > 0 ? double(mean) : 0;
}

}  // namespace

void faces_from_cells(const Block& block, std::size_t axis, const Field& cells, const Field* ends, Field& faces) {
  const Axis& along = block.axes[axis];
  const auto kappa = cells.view<double>();
  const auto out = faces.view<double>();
  const int n = out.n[axis];
  Box box = faces.layout().box();
  if (along.open(1)) ++box.last[axis];
  const auto at_end = [&](std::array<int, 3> at, bool lower) -> double {
    std::array cell = at, end = at;
    cell[axis] = lower ? 0 : n - 1;
    end[axis] = lower ? 1 : 3;
    const double value = kappa(cell[0], cell[1], cell[2]);
    if (along.kind(lower ? 0 : 1) != BoundaryKind::robin) return value;
    return kappa_of(robin_face(value, ends->view<double>()(end[0], end[1], end[2]), along.width(cell[axis])));
  };
  const bool open_lower = along.open(0), open_upper = along.open(1);
  const auto below = [&](int face) { return along.periodic() && face == 0 ? n - 1 : face - 1; };
  std::vector<double> width;  // of the cells below the faces
  for (int face = box.first[axis]; face < box.last[axis]; ++face) width.push_back(along.width(below(face)));
  width.push_back(along.width(std::min(box.last[axis], n) - 1));
  const std::ptrdiff_t step = axis == 0 ? 1 : axis == 1 ? kappa.sy : kappa.sz;
  cpu::for_each_line(box, [&](int j, int k) {
    const std::array<int, 3> line{box.first[0], j, k};
    double* const to = out.line(j, k);
    const double* const here = kappa.line(j, k);
    const int face = line[axis];  // of the first value, and of all unless they lie along the axis
    if (axis != 0) {
      const bool lower = open_lower && face == 0, upper = open_upper && face == n;
      if (lower || upper) {
        for (int i = box.first[0]; i < box.last[0]; ++i) to[i] = at_end({i, j, k}, lower);
        return;
      }
      const double* const before = here + (below(face) - face) * step;
      const double* const h = width.data() + (face - box.first[axis]);
      for (int i = box.first[0]; i < box.last[0]; ++i) to[i] = kappa_of(harmonic_face(before[i], h[0], here[i], h[1]));
      return;
    }
    const double* const h = width.data() - box.first[0];
    for (int i = box.first[0]; i < box.last[0]; ++i) {
      if ((open_lower && i == 0) || (open_upper && i == n))
        to[i] = at_end({i, j, k}, i == 0);
      else
        to[i] = kappa_of(harmonic_face(here[below(i)], h[i], here[i], h[i + 1]));
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

Box box_of_gains(const CoarseBlock& coarse, std::size_t axis, Box faces) {
  for (std::size_t d = 0; d < 3; ++d)
    if (d != axis && !coarse.block.axes[d].degenerate()) ++faces.last[d];
  return faces;
}

AxisRows face_rows(const Axis& fine, const CoarseAxis& coarse) {
  AxisRows rows;
  const Axis& axis = coarse.axis;
  rows.add({0, 0, 0, 0}, {1, 0, 0, 0}, 1);  // there is no face −1
  for (int I = axis.origin(); I <= axis.origin() + axis.cells(); ++I) {
    const double place = coarse.place[static_cast<std::size_t>(I)] - fine.origin();
    const int below = static_cast<int>(std::floor(place));
    const double share = place - below;
    const int above = below + 1 == fine.cells() && fine.periodic() ? 0 : below + 1;
    rows.add({below, above, below, below}, {1 - share, share, 0, 0}, share > 0 ? 2 : 1);
  }
  return rows;
}

}  // namespace poisson
