#include "grids/schemes/elements/elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "backends/device/backend.hpp"
#include "grids/sampling/cell_tensor.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

std::shared_ptr<Field> sampled_cells(Backend& host, const SampleGrid& grid, const Quantity& quantity, const char* key,
                                     Sign sign) {
  auto cells = std::make_shared<Field>(host, grid.block.cell_space(), Precision::fp64);
  const auto view = cells->view<double>();
  sample(quantity, key, sign, grid, Location::cell, cells->layout().box(),
         [&](int j, int k, const double* values) { std::copy_n(values, view.n[0], view.line(j, k)); });
  return cells;
}

// Is the tensor of a cell: xx, yy, zz, xy, xz, yz. In two dimensions zz is 1.
using CellTensor = std::array<double, 6>;

// Returns the first entry that prevents a tensor with a positive diagonal from being positive definite, or −1 if there
// is none.
int indefinite_entry(const CellTensor& k) {
  constexpr std::array<std::array<std::size_t, 2>, 3> axes{{{0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t m = 0; m < 3; ++m)
    if (!(k[3 + m] * k[3 + m] < k[axes[m][0]] * k[axes[m][1]])) return static_cast<int>(m);
  return is_definite(k[0], k[1], k[2], k[3], k[4], k[5]) ? -1 : 0;
}

void check_definite(const SampleGrid& grid, const CellTensors& kappa) {
  const Block& block = grid.block;
  const Box box = block.cell_layout().box();
  for (int k = 0; k < box.last[2]; ++k)
    for (int j = 0; j < box.last[1]; ++j)
      for (int i = 0; i < box.last[0]; ++i) {
        CellTensor tensor{1, 1, 1, 0, 0, 0};
        for (std::size_t d = 0; d < 3; ++d) {
          if (kappa.diagonal[d]) tensor[d] = kappa.diagonal[d]->view<double>()(i, j, k);
          if (kappa.offdiagonal[d]) tensor[3 + d] = kappa.offdiagonal[d]->view<double>()(i, j, k);
        }
        const int entry = indefinite_entry(tensor);
        if (entry < 0) continue;
        const auto m = static_cast<std::size_t>(entry);
        std::array<double, 3> point{};
        const std::array at{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) point[d] = cell_coordinate(block.axes[d], grid.cells, at[d]);
        std::array<char, 200> text{};
        if (block.dimension() == 2)
          std::snprintf(text.data(), text.size(),
                        "must be smaller in magnitude than the square root of x·y, which is %g there (the tensor must "
                        "be positive definite)",
                        std::sqrt(tensor[0] * tensor[1]));
        else
          std::snprintf(text.data(), text.size(),
                        "must keep the tensor positive definite, with x %g, y %g, z %g, xy %g, xz %g, yz %g there",
                        tensor[0], tensor[1], tensor[2], tensor[3], tensor[4], tensor[5]);
        throw ValueErrors({ValueError(offdiagonal_key(m), point, tensor[3 + m], text.data())});
      }
}

}  // namespace

CellPoints element_points(const Problem& p) {
  bool flows = p.full_tensor;
  for_each_face(p, [&](int, int, const Boundary& b) {
    const bool insulated = b.value.constant() && *b.value.constant() == 0;
    flows = flows || b.kind == BoundaryKind::robin || (b.kind == BoundaryKind::neumann && !insulated);
  });
  return flows ? CellPoints::leaning : CellPoints::centres;
}

Box ghost_box(const Block& block, int axis, int end) {
  Box box = block.cell_layout().box();
  const auto d = static_cast<std::size_t>(axis);
  if (!block.axes[d].open(end)) return {};
  box.first[d] = end == 0 ? -1 : box.last[d];
  box.last[d] = box.first[d] + 1;
  return box;
}

Box alpha_box(const Block& block, int axis, int end) {
  Box ghosts = ghost_box(block, axis, end);
  for (std::size_t e = 0; e < 3 && ghosts.size() > 0; ++e)
    if (block.axes[e].periodic()) {
      --ghosts.first[e];
      ++ghosts.last[e];
    }
  return ghosts;
}

void check_element_values(const Problem& p, const SampleGrid& grid) {
  if (!p.full_tensor) return;
  const auto host = make_cpu_backend();
  CellTensors kappa;
  ErrorCollector check;
  for (std::size_t d = 0; d < coefficient_count(p); ++d)
    check([&] {
      kappa.diagonal[d] = sampled_cells(*host, grid, p.coefficient[d], coefficient_key(p, d), Sign::positive);
    });
  for (std::size_t m = 0; m < offdiagonal_count(p); ++m)
    check([&] { kappa.offdiagonal[m] = sampled_cells(*host, grid, p.offdiagonal[m], offdiagonal_key(m), Sign::any); });
  check.finish();
  check_definite(grid, kappa);
}

bool taken_at_nodes(const Problem& p, const Quantity& quantity) {
  const GridArray* array = quantity.array();
  return p.scheme == Scheme::compact4 || quantity.constant() || (array && array->location == Location::node);
}

bool taken_in_cells(const Problem& p, const Quantity& quantity, const Block& block, int face_axis, int end) {
  if (face_axis < 0) return !taken_at_nodes(p, quantity) && !quantity.function();
  const Boundary& face = boundary(p, face_axis, end);
  if (p.scheme != Scheme::q1 || face.kind != BoundaryKind::robin || face.alpha.constant() || quantity.constant())
    return false;
  constexpr double patch = 10;
  const auto alpha = sample(face.alpha, face_key(face_axis, end, true), Sign::nonnegative, {block, element_points(p)},
                            Location::cell, ghost_box(block, face_axis, end));
  double least = 1e300, largest = 0;
  for (const double a : alpha) {
    least = std::min(least, a);
    largest = std::max(largest, a);
  }
  return block.processes().largest(largest) > patch * block.processes().least(least);
}

}  // namespace poisson
