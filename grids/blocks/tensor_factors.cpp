// This file finds blocks whose matrix is a sum of tensor products.

#include "grids/blocks/tensor_factors.hpp"

#include <algorithm>
#include <cmath>

#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/block_mesh.hpp"
#include "grids/meshes/mesh_data.hpp"

namespace poisson {
namespace {

// Nodes may differ from a tensor product by this part of the size of the block.
constexpr double tolerance = 1e-13;

double dot(const Place3& a, const Place3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Place3 difference(const Place3& a, const Place3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Place3 cross(const Place3& a, const Place3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Is the frame of a block: unit vectors along its axes, and the places of nodes along them.
struct Frame {
  std::array<Place3, 3> unit{};
  std::array<std::vector<double>, 3> place;
};

std::optional<Frame> frame_of(const BlockMesh& mesh, int block) {
  const BlockNumbers& numbers = *mesh.numbers;
  const std::array<int, 3> n = numbers.cells_of(block);
  const auto point = [&](int i, int j, int k) -> const Place3& {
    return mesh.mesh->points[static_cast<std::size_t>(numbers.number(block, {i, j, k}))];
  };
  const Place3& origin = point(0, 0, 0);
  Frame frame;
  double size = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    frame.place[d] = {0};
    if (n[d] == 0) continue;
    std::array<int, 3> end{};
    end[d] = n[d];
    const Place3 whole = difference(point(end[0], end[1], end[2]), origin);
    const double length = std::sqrt(dot(whole, whole));
    size = std::max(size, length);
    for (std::size_t a = 0; a < 3; ++a) frame.unit[d][a] = whole[a] / length;
    for (int i = 1; i <= n[d]; ++i) {
      std::array<int, 3> at{};
      at[d] = i;
      frame.place[d].push_back(dot(difference(point(at[0], at[1], at[2]), origin), frame.unit[d]));
      if (!(frame.place[d].back() > frame.place[d][static_cast<std::size_t>(i) - 1])) return {};
    }
  }
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) {
        const Place3& x = point(i, j, k);
        for (std::size_t a = 0; a < 3; ++a) {
          const double there = origin[a] + frame.place[0][static_cast<std::size_t>(i)] * frame.unit[0][a] +
                               frame.place[1][static_cast<std::size_t>(j)] * frame.unit[1][a] +
                               frame.place[2][static_cast<std::size_t>(k)] * frame.unit[2][a];
          if (!(std::abs(x[a] - there) <= tolerance * size)) return {};
        }
      }
  return frame;
}

// Returns whether κ and σ are the same in all cells of a block.
bool constant(const MeshData& data, const BlockMesh& mesh, int block) {
  const auto b = static_cast<std::size_t>(block);
  const std::int64_t first = mesh.first_cell[b], last = mesh.first_cell[b + 1];
  for (std::size_t d = 0; d < 3; ++d) {
    Place3 slope{};
    slope[d] = 1;
    const auto flux = data.flux(first, slope);
    for (std::int64_t c = first + 1; c < last; ++c)
      if (data.flux(c, slope) != flux) return false;
  }
  if (data.reaction.empty()) return true;
  return std::all_of(data.reaction.begin() + first, data.reaction.begin() + last,
                     [&](double sigma) { return sigma == data.reaction[static_cast<std::size_t>(first)]; });
}

}  // namespace

std::optional<TensorFactors> find_tensor_factors(const MeshData& data, const BlockMesh& mesh,
                                                 const BlockMesh::Piece& piece) {
  const int block = piece.block;
  if (!constant(data, mesh, block)) return {};
  std::optional<Frame> frame = frame_of(mesh, block);
  if (!frame) return {};
  if (data.mesh().dimension == 2) frame->unit[2] = {0, 0, 1};
  TensorFactors factors;
  for (std::size_t d = 0; d < 3; ++d) {
    TensorFactors::Axis& axis = factors.axis[d];
    const auto from = frame->place[d].begin() + piece.first[d];
    const std::vector<double> place(from, from + piece.cells[d] + 1);
    axis.diagonal.assign(place.size(), place.size() == 1 ? 1 : 0);
    for (std::size_t i = 0; i + 1 < place.size(); ++i) {
      const double h = place[i + 1] - place[i];
      axis.stiffness.push_back(1 / h);
      axis.mass.push_back(h / 6);
      axis.diagonal[i] += h / 3;
      axis.diagonal[i + 1] += h / 3;
    }
  }
  // Rows of the inverse of the matrix of unit vectors are the gradients of the places along the axes.
  const auto& [x, y, z] = frame->unit;
  const double volume = dot(x, cross(y, z));
  if (!(std::abs(volume) > 0)) return {};
  std::array<Place3, 3> gradient{cross(y, z), cross(z, x), cross(x, y)};
  for (Place3& g : gradient)
    for (double& value : g) value /= volume;
  const std::int64_t cell = mesh.first_cell[static_cast<std::size_t>(block)];
  constexpr std::array<std::array<std::size_t, 2>, 6> pairs{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t p = 0; p < 6; ++p) {
    const auto flux = data.flux(cell, gradient[pairs[p][0]]);
    factors.metric[p] = std::abs(volume) * dot({flux[0], flux[1], flux[2]}, gradient[pairs[p][1]]);
  }
  if (data.mesh().dimension == 2) factors.metric[2] = factors.metric[4] = factors.metric[5] = 0;
  if (!data.reaction.empty()) factors.reaction = std::abs(volume) * data.reaction[static_cast<std::size_t>(cell)];
  return factors;
}

TensorFactors coarsened(const TensorFactors& fine, const BlockNumbers& numbers, const std::array<int, 3>& coarse_n) {
  TensorFactors coarse;
  coarse.metric = fine.metric;
  coarse.reaction = fine.reaction;
  for (std::size_t d = 0; d < 3; ++d) {
    const TensorFactors::Axis& from = fine.axis[d];
    TensorFactors::Axis& to = coarse.axis[d];
    const int cells = static_cast<int>(from.mass.size());
    if (cells == 0) {
      to = from;
      continue;
    }
    const AxisInterpolation axis = interpolate_axis(numbers.widths(cells), coarse_n[d]);
    const auto count = axis.shares.size();
    to.stiffness.assign(count - 1, 0);
    to.mass.assign(count - 1, 0);
    to.diagonal.assign(count, 0);
    // Adds the share of the entry (i, j) of the mass in PᵀMP.
    const auto add = [&](std::size_t i, std::size_t j, double mass) {
      const auto value = [&](std::size_t n, std::size_t c) {
        const auto [index, t] = axis.nodes[n];
        const auto at = static_cast<std::size_t>(index);
        return c == at ? 1 - t : c == at + 1 ? t : 0.0;
      };
      for (std::size_t c = 0; c < count; ++c) {
        to.diagonal[c] += mass * value(i, c) * value(j, c);
        if (c + 1 < count) to.mass[c] += mass * value(i, c) * value(j, c + 1);
      }
    };
    for (std::size_t i = 0; i < from.diagonal.size(); ++i) add(i, i, from.diagonal[i]);
    for (std::size_t i = 0; i < from.mass.size(); ++i) {
      add(i, i + 1, from.mass[i]);
      add(i + 1, i, from.mass[i]);
      // The slope of a coarse function in a fine cell.
      const auto at = static_cast<std::size_t>(axis.nodes[i].index);
      const double t = axis.nodes[i + 1].index == axis.nodes[i].index ? axis.nodes[i + 1].t : 1.0,
                   slope = t - axis.nodes[i].t;
      to.stiffness[at] += from.stiffness[i] * slope * slope;
    }
  }
  return coarse;
}

std::vector<double> packed(const std::optional<TensorFactors>& factors) {
  if (!factors) return {};
  std::vector<double> list(factors->metric.begin(), factors->metric.end());
  list.push_back(factors->reaction);
  for (const TensorFactors::Axis& axis : factors->axis)
    for (const std::vector<double>* const values : {&axis.stiffness, &axis.mass, &axis.diagonal}) {
      list.push_back(static_cast<double>(values->size()));
      list.insert(list.end(), values->begin(), values->end());
    }
  return list;
}

std::optional<TensorFactors> unpacked(const std::vector<double>& list) {
  if (list.empty()) return {};
  TensorFactors factors;
  auto at = list.begin() + std::ssize(factors.metric);
  std::copy(list.begin(), at, factors.metric.begin());
  factors.reaction = *at++;
  for (TensorFactors::Axis& axis : factors.axis)
    for (std::vector<double>* const values : {&axis.stiffness, &axis.mass, &axis.diagonal}) {
      const auto count = static_cast<std::ptrdiff_t>(*at++);
      values->assign(at, at + count);
      at += count;
    }
  return factors;
}

}  // namespace poisson
