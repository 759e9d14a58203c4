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
void add_rows(SetUp& set_up, const AxisRows& rows, RowTable& table) {
  std::vector<int> at;
  std::vector<double> weight;
  at.reserve(4 * rows.size());
  weight.reserve(4 * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    at.insert(at.end(), rows.at[i].begin(), rows.at[i].end());
    weight.insert(weight.end(), rows.weight[i].begin(), rows.weight[i].end());
  }
  set_up.add(at, table.at);
  set_up.add(weight, table.weight);
}

/// Implements GridKernels::coarsen_cells.
template <class SetUp>
void coarsen_cells(SetUp&& set_up, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells, CellMean kind, bool with_faces) {
  CoarseCells cells{{fine_cells.view<double>(), {}}, coarse_cells.view<double>(), kind == CellMean::of_roots};
  for (std::size_t d = 0; d < 3; ++d) add_rows(set_up, cell_means(fine.axes[d], coarse.axes[d]), cells.mean.rows[d]);
  set_up.upload();
  const Box box = coarse_cells.layout().box();
  set_up.launch(with_faces ? with_halo(fine, box) : box, cells);
}

/// Implements GridKernels::move_walls.
template <class SetUp>
void move_walls(SetUp&& set_up, const FaceRows& fine, const CoarseBlock& coarse, const Field& walls, Field& farther) {
  FartherWalls f{};
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = fine.block.axes[d];
    std::vector<double> inverse, mass;
    for (int i = -1; i < axis.size(); ++i) inverse.push_back(axis.inverse_distance(i));
    for (int i = 0; i < axis.size(); ++i) mass.push_back(axis.mass(i));
    set_up.add(inverse, f.inverse[d]);
    set_up.add(mass, f.mass[d]);
    f.coarsened[d] = coarse.coarsened[d] && !axis.degenerate();
    f.face[d] = fine.across(d).view<double>();
  }
  f.scale = fine.scale;
  f.walls = walls.view<double>();
  f.farther = farther.view<double>();
  set_up.upload();
  for (const double*& inverse : f.inverse) ++inverse;
  set_up.launch(farther.layout().box(), f);
}

/// Returns the faces across an axis without the tables of `nested` or other coarse cells.
inline CoarseFaces faces_across(const FaceRows& fine, const Axis& across, int axis, const Field* coarse_ends,
                                Field& coarse_faces) {
  CoarseFaces faces{};
  faces.coarse = coarse_faces.view<double>();
  faces.face.axis = axis;
  if (coarse_ends) {
    faces.ends = coarse_ends->view<double>();
    for (int end = 0; end < 2; ++end) {
      faces.robin[end] = across.open(end) && across.kind(end) == BoundaryKind::robin;
      faces.width[end] = across.width(end == 0 ? 0 : across.cells() - 1);
    }
  }
  for (std::size_t d = 0; d < 3; ++d) faces.face.fine[d] = fine.across(d).view<double>();
  faces.blended.fine = fine.across(static_cast<std::size_t>(axis)).view<double>();
  return faces;
}

/// Implements GridKernels::coarsen_faces. One set of tables serves the faces across all axes.
template <class SetUp>
void coarsen_faces(SetUp&& set_up, const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends,
                   Field& gains, const std::array<std::shared_ptr<Field>, 3>& coarse_faces) {
  const bool nested = std::ranges::all_of(coarse.axes, [](const CoarseAxis& a) { return a.nested(); });
  std::array<CoarseFaceTables, 3> tables;
  std::array<CoarseFace::Along, 3> along{};
  std::array<RowTable, 3> of_cells, of_faces;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = fine.block.axes[d];
    if (nested) {
      tables[d] = {axis, coarse.axes[d]};
      set_up.add(tables[d].begin, along[d].begin);
      set_up.add(tables[d].width, along[d].width);
    } else {
      add_rows(set_up, cell_means(axis, coarse.axes[d]), of_cells[d]);
      if (coarse_faces[d]) add_rows(set_up, face_rows(axis, coarse.axes[d]), of_faces[d]);
    }
  }
  set_up.upload();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!coarse_faces[axis]) continue;
    const Axis& across = coarse.block.axes[axis];
    Field& to = *coarse_faces[axis];
    CoarseFaces faces = faces_across(fine, across, static_cast<int>(axis), coarse_ends[axis].get(), to);
    Box box = to.layout().box();
    if (across.open(1)) ++box.last[axis];
    faces.nested = nested;
    for (std::size_t d = 0; d < 3; ++d) {
      faces.blended.rows[d] = d == axis ? of_faces[d] : of_cells[d];
      if (nested) faces.face.along[d] = tables[d].with(along[d].begin, along[d].width);
    }
    if (nested) {
      set_up.launch(box_of_gains(coarse, axis, box), SharedGains{faces.face, gains.view<double>()});
      faces.face.gains = gains.view<double>();
    }
    set_up.launch(box, faces);
  }
}

}  // namespace poisson::coarsening
