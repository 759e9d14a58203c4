#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "grids/axes/axis_transfer.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/operators/coarse_face_tables.hpp"
#include "grids/operators/faces.hpp"
#include "grids/rows/coarsening.hpp"

/// Coarsening of κ on any device. `SetUp` has three functions: add(values, there) stores a vector for kernels and sets
/// its address at the latest in upload(), and launch(box, functor) calls functor(i, j, k) for all points.
namespace poisson::coarsening {

template <class SetUp>
void add_rows(SetUp& set_up, const std::array<AxisRows, 3>& rows, TensorMean& mean) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<int> at;
    std::vector<double> weight;
    for (std::size_t i = 0; i < rows[d].size(); ++i) {
      at.insert(at.end(), rows[d].at[i].begin(), rows[d].at[i].end());
      weight.insert(weight.end(), rows[d].weight[i].begin(), rows[d].weight[i].end());
    }
    set_up.add(at, mean.rows[d].at);
    set_up.add(weight, mean.rows[d].weight);
  }
}

/// Implements GridKernels::coarsen_cells.
template <class SetUp>
void coarsen_cells(SetUp&& set_up, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells, CellMean kind, bool with_faces) {
  CoarseCells cells{{fine_cells.view<double>(), {}}, coarse_cells.view<double>(), kind == CellMean::of_roots};
  std::array<AxisRows, 3> rows;
  for (std::size_t d = 0; d < 3; ++d) rows[d] = cell_means(fine.axes[d], coarse.axes[d]);
  add_rows(set_up, rows, cells.mean);
  set_up.upload();
  const Box box = coarse_cells.layout().box();
  set_up.launch(with_faces ? with_halo(fine, box) : box, cells);
}

/// Implements GridKernels::coarsen_faces.
template <class SetUp>
void coarsen_faces(SetUp&& set_up, const FaceRows& fine, const CoarseBlock& coarse, std::size_t axis,
                   const Field* coarse_ends, Field& gains, Field& coarse_faces) {
  const Axis& across = coarse.block.axes[axis];
  CoarseFaces faces{};
  faces.coarse = coarse_faces.view<double>();
  faces.face.axis = static_cast<int>(axis);
  if (coarse_ends) {
    faces.ends = coarse_ends->view<double>();
    for (int end = 0; end < 2; ++end) {
      faces.robin[end] = across.open(end) && across.kind(end) == BoundaryKind::robin;
      faces.width[end] = across.width(end == 0 ? 0 : across.cells() - 1);
    }
  }
  faces.nested = std::ranges::all_of(coarse.axes, [](const CoarseAxis& a) { return a.nested(); });
  faces.blended.fine = fine.across(axis).view<double>();
  add_rows(set_up, blended_faces(fine.block, coarse, axis), faces.blended);
  std::array<CoarseFaceTables, 3> along;
  for (std::size_t d = 0; d < 3; ++d) {
    faces.face.fine[d] = fine.across(d).view<double>();
    if (!faces.nested) continue;
    along[d] = {fine.block.axes[d], coarse.axes[d]};
    set_up.add(along[d].begin, faces.face.along[d].begin);
    set_up.add(along[d].width, faces.face.along[d].width);
  }
  set_up.upload();
  for (std::size_t d = 0; d < 3 && faces.nested; ++d)
    faces.face.along[d] = along[d].with(faces.face.along[d].begin, faces.face.along[d].width);
  Box box = coarse_faces.layout().box();
  if (across.open(1)) ++box.last[axis];
  if (faces.nested) {
    set_up.launch(box_of_gains(coarse, axis, box), SharedGains{faces.face, gains.view<double>()});
    faces.face.gains = gains.view<double>();
  }
  set_up.launch(box, faces);
}

}  // namespace poisson::coarsening
