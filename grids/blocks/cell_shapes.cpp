// This file measures the cells of blocks.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/block_mesh_steps.hpp"
#include "grids/meshes/mesh_data.hpp"
#include "grids/meshes/place_text.hpp"

namespace poisson {
namespace {

constexpr std::array<std::size_t, 8> tensor_order{0, 1, 3, 2, 4, 5, 7, 6};  // of the corners of a cell

// Returns the corners of a cell in tensor order.
std::array<Place3, 8> tensor_corners(const Mesh& mesh, std::span<const int> corners) {
  std::array<Place3, 8> x{};
  for (std::size_t c = 0; c < corners.size(); ++c)
    x[c] = mesh.points[static_cast<std::size_t>(corners[tensor_order[c]])];
  return x;
}

Place3 minus(const Place3& a, const Place3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

// std::hypot takes several times as long.
double width_of(const Place3& a) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

double determinant(const Place3& a, const Place3& b, const Place3& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Returns the least and largest determinant at the corners of a cell, over the product of the edges there.
std::pair<double, double> determinants(const std::array<Place3, 8>& x, std::size_t dimension) {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (std::size_t c = 0; c < std::size_t{1} << dimension; ++c) {
    std::array<Place3, 3> edge{};
    edge[2] = {0, 0, 1};
    double size = 1;
    for (std::size_t d = 0; d < dimension; ++d) {
      const std::size_t upper = c | std::size_t{1} << d, lower = upper ^ std::size_t{1} << d;
      edge[d] = minus(x[upper], x[lower]);
      size *= width_of(edge[d]);
    }
    const double value = size > 0 ? determinant(edge[0], edge[1], edge[2]) / size : 0;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  return {least, largest};
}

// Returns the vectors along the axes of a cell at its centre.
std::array<Place3, 3> axes_of(const std::array<Place3, 8>& x, std::size_t dimension) {
  std::array<Place3, 3> axis{};
  const std::size_t count = std::size_t{1} << dimension;
  for (std::size_t d = 0; d < dimension; ++d)
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t e = 0; e < 3; ++e)
        axis[d][e] += (c >> d & 1 ? 2.0 : -2.0) / static_cast<double>(count) * x[c][e];
  return axis;
}

const MeshCells& cells_of(const BlockMesh& blocks) {
  return *blocks.mesh->find(blocks.mesh->dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron);
}

double dot(const Place3& a, const Place3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Is the product aᵀMb with M = κ⁻¹ det(κ)^(1/dimension) of a cell, or M = 1.
class CellMetric {
 public:
  CellMetric(const MeshData* data, std::int64_t cell) : plain_(data == nullptr || data->kappa_entries == 1) {
    if (plain_) return;
    const bool plane = data->mesh().dimension == 2;
    std::array<Place3, 3> kappa{};
    for (std::size_t d = 0; d < 3; ++d)
      kappa[d] = data->flux(cell, {d == 0 ? 1.0 : 0, d == 1 ? 1.0 : 0, d == 2 ? 1.0 : 0});
    if (plane) kappa[0][2] = kappa[1][2] = 0, kappa[2] = {0, 0, 1};
    const double det = determinant(kappa[0], kappa[1], kappa[2]), scale = std::pow(det, plane ? 0.5 : 1.0 / 3) / det;
    for (std::size_t r = 0; r < 3; ++r) {
      const Place3 &a = kappa[(r + 1) % 3], &b = kappa[(r + 2) % 3];
      row_[r] = {scale * (a[1] * b[2] - a[2] * b[1]), scale * (a[2] * b[0] - a[0] * b[2]),
                 scale * (a[0] * b[1] - a[1] * b[0])};
    }
  }
  double product(const Place3& a, const Place3& b) const {
    return plain_ ? dot(a, b) : a[0] * dot(row_[0], b) + a[1] * dot(row_[1], b) + a[2] * dot(row_[2], b);
  }
  double width(const Place3& a) const { return std::sqrt(product(a, a)); }

 private:
  bool plain_;
  std::array<Place3, 3> row_{};
};

// Adds up the widths of cells along each axis, and finds the largest w²/h of the cells that are thin along it.
struct WidthsOfBlock {
  std::array<double, 3> sum{}, largest{};
  double cosine = 0;  // largest between two axes
};

// Returns the axes from the longest to the shortest.
std::array<int, 3> by_width(const std::array<double, 3>& width) {
  std::array<int, 3> order{0, 1, 2};  // in the plane the third axis has no width and stays last
  std::ranges::sort(order, std::greater(), [&](int d) { return width[static_cast<std::size_t>(d)]; });
  return order;
}

void measure(const std::array<Place3, 8>& x, std::size_t dimension, const CellMetric& metric,
             CellShapes::OfBlock& found, WidthsOfBlock& widths) {
  const std::array<Place3, 3> axis = axes_of(x, dimension);
  std::array<double, 3> width{};
  for (std::size_t d = 0; d < dimension; ++d) width[d] = metric.width(axis[d]);
  const std::array<int, 3> order = by_width(width);
  const double longest = width[static_cast<std::size_t>(order[0])], next = width[static_cast<std::size_t>(order[1])],
               shortest = width[static_cast<std::size_t>(order[dimension - 1])];
  found.stretch = std::max(found.stretch, longest / shortest);
  for (std::size_t d = 0; d < dimension; ++d) widths.sum[d] += width[d];
  double& largest = widths.largest[static_cast<std::size_t>(order[dimension - 1])];
  largest = std::max(largest, longest * longest / shortest);
  for (std::size_t d = 0; d < dimension; ++d)
    for (std::size_t e = 0; e < d; ++e)
      widths.cosine =
          std::max(widths.cosine, std::min(1.0, std::abs(metric.product(axis[d], axis[e])) / (width[d] * width[e])));
  if (dimension < 3 || longest <= needle_limit * next) return;
  ++found.needles;
  if (longest / next <= found.needle_ratio) return;
  found.needle_ratio = longest / next;
  found.needle_axes = order;
  found.needle = {};
  for (const Place3& corner : x)
    for (std::size_t e = 0; e < 3; ++e) found.needle[e] += corner[e] / 8;
}

// Lists the cells of a block on a level that has some of its nodes along each axis.
class LevelCells {
 public:
  LevelCells(const BlockMesh& blocks, int block, const std::vector<int>& x, const std::vector<int>& y,
             const std::vector<int>& z)
      : blocks_(blocks), piece_(blocks.piece(block)), nodes_{&x, &y, &z} {}

  /// Calls f(corners in tensor order, a cell of the mesh in the middle) for each cell.
  template <class F>
  void for_each(const F& f) const {
    const auto count = [this](std::size_t d) { return std::ssize(*nodes_[d]) - 1; };
    for (std::ptrdiff_t k = 0; k < count(2); ++k)
      for (std::ptrdiff_t j = 0; j < count(1); ++j)
        for (std::ptrdiff_t i = 0; i < count(0); ++i) {
          const std::array<std::size_t, 3> at{static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                                              static_cast<std::size_t>(k)};
          std::array<Place3, 8> x{};
          std::array<int, 3> middle{};
          for (std::size_t d = 0; d < 3; ++d) middle[d] = ((*nodes_[d])[at[d]] + (*nodes_[d])[at[d] + 1]) / 2;
          for (std::size_t c = 0; c < 8; ++c)
            x[c] = blocks_.place(piece_, {(*nodes_[0])[at[0] + (c & 1)], (*nodes_[1])[at[1] + (c >> 1 & 1)],
                                          (*nodes_[2])[at[2] + (c >> 2)]});
          f(x, blocks_.cell(piece_, middle));
        }
  }

 private:
  const BlockMesh& blocks_;
  BlockMesh::Piece piece_;
  std::array<const std::vector<int>*, 3> nodes_;
};

}  // namespace

void check_cells(const BlockMesh& blocks) {
  const MeshCells& cells = cells_of(blocks);
  const auto dimension = static_cast<std::size_t>(blocks.mesh->dimension);
  for (int b = 0; b < blocks.numbers->topology().blocks(); ++b) {
    const std::int64_t first = blocks.first_cell[static_cast<std::size_t>(b)],
                       last = blocks.first_cell[static_cast<std::size_t>(b) + 1];
    const auto range = [&](std::int64_t e) {
      return determinants(tensor_corners(*blocks.mesh, cells.of(e)), dimension);
    };
    const bool left_handed = range(first).second < 0;
    std::int64_t faults = 0, fault = last;
#pragma omp parallel for schedule(static) reduction(+ : faults) reduction(min : fault) if (last - first > 1000)
    for (std::int64_t e = first; e < last; ++e) {
      const auto [least, largest] = range(e);
      if (left_handed ? largest < -1e-12 : least > 1e-12) continue;
      ++faults;
      fault = std::min(fault, e);
    }
    if (faults == 0) continue;
    const std::array<int, 3> n = blocks.numbers->cells_of(b);
    const auto at = static_cast<int>(fault - first);
    const std::array<int, 3> cell{at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
    throw InputError(blocks.numbers->topology().mesh().blocks[static_cast<std::size_t>(b)].name + ": " +
                     std::to_string(faults) + " of " + std::to_string(last - first) +
                     " cells are inverted or flat, the first at " +
                     place_text(centre_of(*blocks.mesh, cells.of(fault)), blocks.mesh->dimension) + ", cell (" +
                     joined(std::span(cell).first(dimension), ", ") +
                     ") of the block; correct the order of its corners, its vertices or its curves, or divide it into "
                     "several blocks");
  }
}

CellStretch CellShapes::stretch() const {
  CellStretch most;
  for (const OfBlock& block : blocks) {
    most.largest = std::max(most.largest, block.stretch);
    most.floating = std::max(most.floating, block.floating);
    most.sharpest = std::min(most.sharpest, block.sharpest);
    most.needle = std::max(most.needle, block.needle_ratio);
  }
  return most;
}

CellShapes measure_cells(const BlockMesh& blocks, const MeshData* data) {
  CellShapes shapes;
  const MeshCells& cells = cells_of(blocks);
  shapes.blocks.resize(blocks.first_cell.size() - 1);
#pragma omp parallel for schedule(dynamic, 1) if (blocks.first_cell.back() > 1000)
  for (std::size_t b = 0; b < shapes.blocks.size(); ++b) {
    const auto dimension = static_cast<std::size_t>(blocks.mesh->dimension);
    const std::int64_t first = blocks.first_cell[b], last = blocks.first_cell[b + 1];
    WidthsOfBlock widths;
    for (std::int64_t e = first; e < last; ++e)
      measure(tensor_corners(*blocks.mesh, cells.of(e)), dimension, CellMetric(data, e), shapes.blocks[b], widths);
    shapes.blocks[b].sharpest = std::acos(widths.cosine) * 180 / std::numbers::pi;
    const std::array<int, 3> n = blocks.numbers->cells_of(static_cast<int>(b));
    for (std::size_t d = 0; d < dimension; ++d) {
      const double along = widths.sum[d] * n[d] / static_cast<double>(last - first);
      shapes.blocks[b].floating = std::max(shapes.blocks[b].floating, widths.largest[d] / along);
    }
  }
  return shapes;
}

std::vector<std::vector<int>> all_nodes(const BlockMesh& mesh) {
  std::vector<std::vector<int>> nodes;
  for (const int n : mesh.nodes->cells()) nodes.push_back(coarse_cells(n, n));
  return nodes;
}

NeedleClasses find_needles(const BlockMesh& blocks, const MeshData& data, const std::vector<std::vector<int>>& nodes) {
  NeedleClasses found;
  found.along.assign(nodes.size(), 1);
  if (blocks.mesh->dimension < 3) return found;
  const MacroTopology& topology = blocks.nodes->topology();
  std::vector<std::array<double, 3>> of_block(static_cast<std::size_t>(topology.blocks()), {1, 1, 1});
  const auto class_of = [&](std::size_t b, std::size_t d) {
    return static_cast<std::size_t>(topology.edge_class(static_cast<int>(b), d));
  };
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < of_block.size(); ++b) {
    const LevelCells cells(blocks, static_cast<int>(b), nodes[class_of(b, 0)], nodes[class_of(b, 1)],
                           nodes[class_of(b, 2)]);
    cells.for_each([&](const std::array<Place3, 8>& x, std::int64_t cell) {
      const CellMetric metric(&data, cell);
      const std::array<Place3, 3> axis = axes_of(x, 3);
      const std::array<double, 3> width{metric.width(axis[0]), metric.width(axis[1]), metric.width(axis[2])};
      const std::array<int, 3> order = by_width(width);
      const auto longest = static_cast<std::size_t>(order[0]), next = static_cast<std::size_t>(order[1]);
      if (width[longest] > needle_limit * width[next])
        of_block[b][longest] = std::max(of_block[b][longest], width[longest] / width[next]);
    });
  }
  for (std::size_t b = 0; b < of_block.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d)
      found.along[class_of(b, d)] = std::max(found.along[class_of(b, d)], of_block[b][d]);
  for (std::size_t b = 0; b < of_block.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t e = 0; e < 3; ++e)
        if (e != d && of_block[b][d] > 1 && found.along[class_of(b, e)] > 1) found.agree = false;
  return found;
}

}  // namespace poisson
