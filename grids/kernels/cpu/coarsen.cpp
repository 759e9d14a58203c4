#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/weighted_lines.hpp"
#include "grids/operators/coarse_face_tables.hpp"
#include "grids/operators/faces.hpp"

namespace poisson::cpu {
namespace {

constexpr auto same = [](double value) { return value; };

/// Returns the sum of f(value) with the weights of rows I, J, K, which have the indices I + 1, J + 1, K + 1.
template <class F>
double mean(const std::array<AxisRows, 3>& rows, const View<const double>& fine, int I, int J, int K, const F& f) {
  const auto &xs = rows[0].at[index(I + 1)], &ys = rows[1].at[index(J + 1)], &zs = rows[2].at[index(K + 1)];
  const auto &wx = rows[0].weight[index(I + 1)], &wy = rows[1].weight[index(J + 1)], &wz = rows[2].weight[index(K + 1)];
  double sum = 0;
  for (std::size_t k = 0; k < 4 && wz[k] != 0; ++k)
    for (std::size_t j = 0; j < 4 && wy[j] != 0; ++j)
      for (std::size_t i = 0; i < 4 && wx[i] != 0; ++i) sum += wx[i] * wy[j] * wz[k] * f(fine(xs[i], ys[j], zs[k]));
  return sum;
}

}  // namespace

void coarsen_cells(const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells,
                   CellMean kind, bool with_faces) {
  const View<const double> f = fine_cells.view<double>();
  const auto c = coarse_cells.view<double>();
  std::array<AxisRows, 3> rows;
  for (std::size_t d = 0; d < 3; ++d) rows[d] = cell_means(fine.axes[d], coarse.axes[d]);
  Box box = coarse_cells.layout().box();
  if (with_faces) box = with_halo(fine, box);
  for_each_line(box, [&](int J, int K) {
    for (int I = box.first[0]; I < box.last[0]; ++I)
      if (kind == CellMean::of_roots) {
        const double root = mean(rows, f, I, J, K, [](double value) { return std::sqrt(value); });
        c(I, J, K) = root * root;
      } else {
        c(I, J, K) = mean(rows, f, I, J, K, same);
      }
  });
}

void coarsen_faces(const FaceRows& fine, const CoarseBlock& coarse, std::size_t axis, const Field* coarse_ends,
                   Field& gains, Field& coarse_faces) {
  const auto c = coarse_faces.view<double>();
  const Axis& along = coarse.block.axes[axis];
  const int n = c.n[axis];
  Box box = coarse_faces.layout().box();
  if (along.open(1)) ++box.last[axis];
  const bool nested = std::ranges::all_of(coarse.axes, [](const CoarseAxis& a) { return a.nested(); });
  const auto blended = blended_faces(fine.block, coarse, axis);
  CoarseFace face{};
  face.axis = static_cast<int>(axis);
  std::array<CoarseFaceTables, 3> tables;
  for (std::size_t d = 0; d < 3; ++d) {
    face.fine[d] = fine.across(d).view<double>();
    if (!nested) continue;
    tables[d] = {fine.block.axes[d], coarse.axes[d]};
    face.along[d] = tables[d].with(tables[d].begin.data(), tables[d].width.data());
  }
  if (nested) {
    const auto gain = gains.view<double>();
    const Box corners = box_of_gains(coarse, axis, box);
    for_each_line(corners, [&](int J, int K) {
      for (int I = corners.first[0]; I < corners.last[0]; ++I) gain(I, J, K) = face.shared_gain(I, J, K);
    });
    face.gains = gain;
  }
  for_each_line(box, [&](int J, int K) {
    for (int I = box.first[0]; I < box.last[0]; ++I) {
      const std::array at{I, J, K};
      const bool lower = at[axis] == 0 && along.open(0), upper = at[axis] == n && along.open(1);
      if (coarse_ends && (lower || upper) && along.kind(lower ? 0 : 1) == BoundaryKind::robin) {
        const auto ends = coarse_ends->view<double>();
        std::array kappa{I, J, K}, alpha{I, J, K};
        kappa[axis] = lower ? 0 : 2;
        alpha[axis] = lower ? 1 : 3;
        c(I, J, K) = robin_face(ends(kappa[0], kappa[1], kappa[2]), ends(alpha[0], alpha[1], alpha[2]),
                                along.width(lower ? 0 : n - 1));
      } else {
        c(I, J, K) = nested ? face(I, J, K) : mean(blended, fine.across(axis).view<double>(), I, J, K, same);
      }
    }
  });
}

}  // namespace poisson::cpu
