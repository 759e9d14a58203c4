#include "grids/schemes/cells/cell_face.hpp"

#include <algorithm>

#include "grids/sampling/detached_faces.hpp"
#include "grids/sampling/media_lines.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

constexpr double negligible = 1e-10;  // the Biot number αL/κ below which a Robin face passes only g

// Contains κ over the half cells behind a face, times the open share of the face, and 0 in cells that left the system;
// and these shares.
struct Behind {
  std::vector<double> kappa, open;
};

// Integrates κ in cells next to this process's part, of which the system has no rows.
Behind integrated(const Problem& problem, const Block& block, int axis, int end, const Box& behind) {
  if (behind.size() == 0) return {};
  // Sheets lie between cells, and conductance along surfaces moves to neighbours.
  const int layers = DetachedFaces::layers(*problem.media);
  Box around = behind;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& across = block.axes[d];
    if (across.degenerate()) continue;
    around.first[d] = std::max(around.first[d] - layers, std::min(around.first[d], across.open(0) ? 0 : -layers));
    around.last[d] =
        std::min(around.last[d] + layers, std::max(around.last[d], across.size() + (across.open(1) ? 0 : layers)));
    while (across.global_cell(around.first[d]) < 0) ++around.first[d];
    while (across.global_cell(around.last[d] - 1) >= across.all_cells()) --around.last[d];
  }
  const MediaCells cells(problem, block, around);
  const MediaLines lines(cells);
  Behind found{DetachedFaces(cells).end_kappa(lines, static_cast<std::size_t>(axis), end, behind), {}};
  for_each_place(behind, [&](int i, int j, int k) {
    std::array face{i, j, k};
    face[static_cast<std::size_t>(axis)] += end;
    found.open.push_back(cells.open_face(static_cast<std::size_t>(axis), face[0], face[1], face[2]));
  });
  return found;
}

bool is_part(const Box& part, const Box& whole) {
  bool inside = true;
  for (std::size_t d = 0; d < 3; ++d)
    inside = inside && part.first[d] >= whole.first[d] && part.last[d] <= whole.last[d];
  return inside;
}

// Reads κ from the rows. These contain 0 in cells without contact to a fixed value, which keep the given flux: their
// faces are Neumann faces, or Robin faces with α = 0, whose flux does not depend on κ.
Behind from_rows(const MediaSystem& media, int axis, int end, const Box& all, const Box& behind) {
  const auto d = static_cast<std::size_t>(axis);
  const std::vector<double>& rows = media.end_kappa(axis, end);
  const std::size_t a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
  Behind found;
  for_each_place(behind, [&](int i, int j, int k) {
    const std::array cell{i, j, k};
    std::array face = cell;
    face[d] += end;
    const double open = media.cells().open_face(d, face[0], face[1], face[2]);
    const auto number =
        static_cast<std::size_t>(cell[b] - all.first[b]) * static_cast<std::size_t>(all.last[a] - all.first[a]) +
        static_cast<std::size_t>(cell[a] - all.first[a]);
    const bool floats = rows[number] == 0 && media.state(i, j, k) == CellState::floating;
    found.kappa.push_back(floats ? open : rows[number]);
    found.open.push_back(open);
  });
  return found;
}

}  // namespace

CellFace::Values CellFace::values(BoundaryKind kind, double value, double kappa, double alpha, double h,
                                  double length) {
  if (kind == BoundaryKind::neumann) return {value, 0, false};
  if (kind == BoundaryKind::dirichlet) return {2 * kappa / h * value, 2 * kappa / h, true};
  const double part = kappa / (kappa + 0.5 * alpha * h);
  return {part * value, part * alpha, alpha * length >= negligible * kappa};
}

CellFace::Data::Data(const Quantity& quantity, const std::string& name, Sign sign, const Block& block, const Box& box) {
  Box sampled = box;
  if (quantity.constant() && box.size() > 0)
    for (std::size_t e = 0; e < 3; ++e) sampled.last[e] = sampled.first[e] + 1;
  *this = Data(sample(quantity, name, sign, {block}, Location::cell, sampled));
}

bool CellFace::is_closed(const Boundary& face) {
  const double* value = face.value.constant();
  return face.kind == BoundaryKind::neumann && !face.mixed_bc && value && *value == 0;
}

CellFace::CellFace(const Problem& problem, const Block& block, int axis, int end, const MediaSystem* media)
    : CellFace(problem, block, axis, end, block.layout().box(), media, nullptr) {}

CellFace::CellFace(const Problem& problem, const Block& block, int axis, int end, const Box& within,
                   const MediaSystem* media, std::vector<double>* kappa) {
  const auto d = static_cast<std::size_t>(axis);
  const Boundary& face = boundary(problem, axis, end);
  Box on_face = face_box(block, axis, end);
  const Box all = cells_behind(block, axis, end);
  behind_ = all;
  for (Box* box : {&on_face, &behind_})
    for (std::size_t e = 0; e < 3; ++e) {
      if (e == d || box->size() == 0) continue;
      box->first[e] = within.first[e];
      box->last[e] = within.last[e];
    }
  const std::size_t c = problem.isotropic ? 0 : d;
  kind_ = face.kind;
  media_ = problem.media != nullptr;
  data_ = Data(face.value, face_key(axis, end), Sign::any, block, on_face);
  const bool known = media && media->codes() && is_part(all, behind_) && is_part(behind_, all);
  if (known && (face.kind == BoundaryKind::dirichlet || is_closed(face))) {
    kappa_ = Data::of(media->end_kappa(axis, end));
    open_ = Data(std::vector{1.0});
  } else if (media_) {
    Behind found = media && is_part(behind_, all) ? from_rows(*media, axis, end, all, behind_)
                                                  : integrated(problem, block, axis, end, behind_);
    kappa_ = Data(std::move(found.kappa));
    open_ = Data(std::move(found.open));
  } else if (kappa) {
    kappa_ = Data(std::move(*kappa));
  } else if (face.kind != BoundaryKind::neumann) {
    kappa_ = Data(problem.coefficient[c], coefficient_key(problem, c), Sign::positive, block, behind_);
  }
  if (face.kind == BoundaryKind::robin)
    alpha_ = Data(face.alpha, face_key(axis, end, true), Sign::nonnegative, block, on_face);
  if (behind_.size() > 0) width_ = block.axes[d].width(behind_.first[d]);
  length_ = block.axes[d].nodes().back() - block.axes[d].nodes().front();
}

FaceAreas::FaceAreas(const Block& block, int axis) {
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < block.axes[d].size(); ++i)
      masses_[d].push_back(static_cast<int>(d) == axis ? 1 : block.axes[d].mass(i));
}

Box cells_behind(const Block& block, int axis, int end) {
  Box box = face_box(block, axis, end);
  const auto d = static_cast<std::size_t>(axis);
  if (box.size() == 0) return box;
  box.first[d] = end == 0 ? 0 : block.axes[d].size() - 1;
  box.last[d] = box.first[d] + 1;
  return box;
}

Box dirichlet_cells(const Block& block, int axis, int end) {
  Box box = face_box(block, axis, end);
  for (std::size_t e = 0; e < 3; ++e) {
    if (static_cast<int>(e) == axis || box.size() == 0) continue;
    if (block.axes[e].kind(0) == BoundaryKind::dirichlet && !block.axes[e].degenerate()) --box.first[e];
    if (block.axes[e].kind(1) == BoundaryKind::dirichlet && !block.axes[e].degenerate()) ++box.last[e];
  }
  return box;
}

}  // namespace poisson
