#include "grids/schemes/cells/cell_face.hpp"

#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

constexpr double negligible = 1e-10;  // Biot number αL/κ below which nothing passes a Robin face but g

}  // namespace

CellFace::CellFace(const Problem& problem, const Block& block, int axis, int end) {
  const auto d = static_cast<std::size_t>(axis);
  const Boundary& face = boundary(problem, axis, end);
  const Box on_face = face_box(block, axis, end);
  behind_ = on_face;
  behind_.first[d] = end == 0 ? 0 : block.axes[d].size() - 1;
  behind_.last[d] = behind_.first[d] + 1;
  const std::vector<double> data = sample(face.value, face_key(axis, end), Sign::any, block, Location::cell, on_face);
  values_.resize(data.size());
  if (face.kind == BoundaryKind::neumann) {
    for (std::size_t i = 0; i < data.size(); ++i) values_[i] = {data[i], 0, false};
    return;
  }
  const std::size_t c = problem.isotropic ? 0 : d;
  const std::vector<double> kappa =
      sample(problem.coefficient[c], coefficient_key(problem, c), Sign::positive, block, Location::cell, behind_);
  const double h = block.axes[d].width(behind_.first[d]);
  if (face.kind == BoundaryKind::dirichlet) {
    for (std::size_t i = 0; i < data.size(); ++i) values_[i] = {2 * kappa[i] / h * data[i], 2 * kappa[i] / h, true};
    return;
  }
  const std::vector<double> alpha =
      sample(face.alpha, face_key(axis, end, true), Sign::nonnegative, block, Location::cell, on_face);
  const double length = block.axes[d].nodes().back() - block.axes[d].nodes().front();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double part = kappa[i] / (kappa[i] + 0.5 * alpha[i] * h);
    values_[i] = {part * data[i], part * alpha[i], alpha[i] * length >= negligible * kappa[i]};
  }
}

Box dirichlet_cells(const Problem& problem, const Block& block, int axis, int end) {
  Box box = face_box(block, axis, end);
  for (int e = 0; e < problem.dimension; ++e) {
    if (e == axis) continue;
    const auto along = static_cast<std::size_t>(e);
    if (boundary(problem, e, 0).kind == BoundaryKind::dirichlet) --box.first[along];
    if (boundary(problem, e, 1).kind == BoundaryKind::dirichlet) ++box.last[along];
  }
  return box;
}

}  // namespace poisson
