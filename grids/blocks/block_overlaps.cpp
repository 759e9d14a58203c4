// This file finds blocks that overlap.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_mesh_steps.hpp"
#include "grids/meshes/place_text.hpp"

namespace poisson {
namespace {

using Node = std::array<int, 3>;

// Surfaces of blocks are followed with this number of segments at most along each axis.
constexpr int most_segments(bool flat) {
  return flat ? 16 : 4;
}

Place3 difference(const Place3& a, const Place3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double product(const Place3& a, const Place3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double distance_to_segment(const Place3& x, const Place3& a, const Place3& b) {
  const Place3 along = difference(b, a), to = difference(x, a);
  const double square = product(along, along), t = square > 0 ? std::clamp(product(to, along) / square, 0.0, 1.0) : 0;
  return std::hypot(to[0] - t * along[0], to[1] - t * along[1], to[2] - t * along[2]);
}

// Returns the distance to a triangle: to its plane if x is above or below it, otherwise to its edges.
double distance_to_triangle(const Place3& x, const std::array<Place3, 3>& corners) {
  const Place3 u = difference(corners[1], corners[0]), v = difference(corners[2], corners[0]),
               to = difference(x, corners[0]);
  const double uu = product(u, u), uv = product(u, v), vv = product(v, v), tu = product(to, u), tv = product(to, v),
               square = uu * vv - uv * uv, s = (tu * vv - tv * uv) / square, t = (tv * uu - tu * uv) / square;
  if (square > 0 && s >= 0 && t >= 0 && s + t <= 1)
    return std::hypot(to[0] - s * u[0] - t * v[0], to[1] - s * u[1] - t * v[1], to[2] - s * u[2] - t * v[2]);
  return std::min({distance_to_segment(x, corners[0], corners[1]), distance_to_segment(x, corners[1], corners[2]),
                   distance_to_segment(x, corners[2], corners[0])});
}

// Returns up to this number of segments of cells, as the nodes at their ends.
std::vector<int> steps(int first, int last, int segments) {
  const int count = std::min(last - first, segments);
  std::vector<int> at;
  for (int s = 0; s <= count; ++s) at.push_back(first + static_cast<int>(std::int64_t{last - first} * s / count));
  return at;
}

// Returns the signed solid angle of a triangle (van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30, 1983, 125).
double solid_angle(const std::array<Place3, 3>& corners, const Place3& from) {
  std::array<Place3, 3> r{};
  std::array<double, 3> length{};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t d = 0; d < 3; ++d) r[c][d] = corners[c][d] - from[d];
    length[c] = std::hypot(r[c][0], r[c][1], r[c][2]);
  }
  const auto dot = [&](std::size_t a, std::size_t b) {
    return r[a][0] * r[b][0] + r[a][1] * r[b][1] + r[a][2] * r[b][2];
  };
  const double volume = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                        r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                        r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
  return 2 * std::atan2(volume, length[0] * length[1] * length[2] + dot(0, 1) * length[2] + dot(0, 2) * length[1] +
                                    dot(1, 2) * length[0]);
}

// Is the surface of a block as segments or triangles, and its bounding box.
struct BlockSurface {
  Place3 lower, upper;
  std::vector<std::array<Place3, 3>> pieces;  // segments have two places
  double deviation = 0;                       // of the sides of the block from their pieces
  bool flat;

  BlockSurface(const BlockMesh& mesh, int block) : flat(mesh.mesh->dimension == 2) {
    const Node n = mesh.numbers->cells_of(block);
    const std::size_t dimension = flat ? 2 : 3;
    for (std::size_t d = 0; d < dimension; ++d)
      for (const bool end : {false, true}) {
        const std::size_t a = (d + 1) % dimension, b = flat ? 2 : (d + 2) % 3;
        const auto at = [&](int i, int j) {
          Node node{};
          node[d] = end ? n[d] : 0;
          node[a] = i;
          if (!flat) node[b] = j;
          return mesh.mesh->points[static_cast<std::size_t>(mesh.numbers->number(block, node))];
        };
        const std::vector<int> along = steps(0, n[a], most_segments(flat)),
                               across = flat ? std::vector{0, 0} : steps(0, n[b], most_segments(flat));
        for (std::size_t j = 0; j + 1 < across.size(); ++j)
          for (std::size_t i = 0; i + 1 < along.size(); ++i)
            add({along[i], along[i + 1]}, {across[j], across[j + 1]}, !end, at);
      }
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());
    double size = 0;
    for (const auto& piece : pieces)
      for (const Place3& x : piece)
        for (std::size_t d = 0; d < 3; ++d) {
          lower[d] = std::min(lower[d], x[d]);
          upper[d] = std::max(upper[d], x[d]);
        }
    for (std::size_t d = 0; d < 3; ++d) size = std::max(size, upper[d] - lower[d]);
    deviation = 1.5 * deviation + 1e-6 * size;  // other nodes may deviate more than those that were measured
  }

  // Returns whether a place is inside, and farther from the pieces than the sides of the block are.
  bool contains_deeply(const Place3& x) const {
    for (std::size_t d = 0; d < (flat ? 2 : 3); ++d)
      if (!(x[d] > lower[d] + deviation && x[d] < upper[d] - deviation)) return false;
    for (const auto& piece : pieces)
      if (!(distance_to(piece, x) > deviation)) return false;
    double angle = 0;
    int crossings = 0;
    for (const auto& piece : pieces) {
      const Place3 &a = piece[0], &b = piece[1];
      if (!flat)
        angle += solid_angle(piece, x);
      else if ((a[1] > x[1]) != (b[1] > x[1]))
        crossings += a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) > x[0];
    }
    return flat ? crossings % 2 == 1 : std::abs(angle) > 2 * std::numbers::pi;
  }

 private:
  double distance_to(const std::array<Place3, 3>& piece, const Place3& x) const {
    return flat ? distance_to_segment(x, piece[0], piece[1]) : distance_to_triangle(x, piece);
  }
  // Adds the segment, or both triangles, between two nodes along each axis of a side. The normals of both ends of an
  // axis point outwards, or all of them inwards.
  template <class At>
  void add(const std::array<int, 2>& i, const std::array<int, 2>& j, bool turned, const At& at) {
    const Place3 a = at(i[0], j[0]), b = at(i[1], j[0]), c = at(i[0], j[1]), d = at(i[1], j[1]);
    if (flat) {
      pieces.push_back({a, b, b});
    } else {
      for (const std::array<Place3, 3>& half : {std::array{a, b, c}, std::array{a, d, c}})
        pieces.push_back(turned ? std::array{half[0], half[2], half[1]} : half);
      // A bilinear side leaves both triangles most at its middle.
      deviation = std::max(deviation, 0.25 * std::hypot(a[0] - b[0] - c[0] + d[0], a[1] - b[1] - c[1] + d[1],
                                                        a[2] - b[2] - c[2] + d[2]));
    }
    for (const int y : steps(j[0], std::max(j[1], j[0] + 1), 4))
      for (const int x : steps(i[0], i[1], 4)) {
        const Place3 place = at(x, flat ? 0 : y);
        double least = distance_to(pieces.back(), place);
        if (!flat) least = std::min(least, distance_to(pieces[pieces.size() - 2], place));
        deviation = std::max(deviation, least);
      }
  }
};

// Is a place of a block, and the part of the macro mesh that it is on.
struct Sample {
  Place3 at;
  int part;
};

// Returns nodes on the sides of a block, and centres of cells near its corners, its edges and its middle.
std::vector<Sample> samples_of(const BlockMesh& mesh, int block) {
  const Node n = mesh.numbers->cells_of(block);
  const MacroTopology& topology = mesh.numbers->topology();
  const bool flat = mesh.mesh->dimension == 2;
  const MeshCells& cells = *mesh.mesh->find(flat ? CellShape::quadrilateral : CellShape::hexahedron);
  std::vector<Sample> samples;
  const int inside = flat ? 4 : 13, segments = most_segments(flat);  // the place of the block itself
  for (const int k : flat ? std::vector{0} : steps(0, n[2], segments))
    for (const int j : steps(0, n[1], segments))
      for (const int i : steps(0, n[0], segments)) {
        const int place = mesh.numbers->place_of(block, {i, j, k});
        if (place != inside)
          samples.push_back({mesh.mesh->points[static_cast<std::size_t>(mesh.numbers->number(block, {i, j, k}))],
                             topology.place(block, place).part});
      }
  const auto place = [](int count, int eighths) {
    return std::min(count - 1, static_cast<int>(std::int64_t{count} * eighths / 8));
  };
  for (const int k : {1, 4, 7})
    for (const int j : {1, 4, 7})
      for (const int i : {1, 4, 7}) {
        if (flat && k > 1) continue;
        const std::int64_t plane = flat ? 0 : place(n[2], k);
        samples.push_back(
            {centre_of(*mesh.mesh, cells.of(mesh.first_cell[static_cast<std::size_t>(block)] + place(n[0], i) +
                                            std::int64_t{n[0]} * (place(n[1], j) + std::int64_t{n[1]} * plane))),
             topology.place(block, inside).part});
      }
  return samples;
}

}  // namespace

void check_overlaps(const BlockMesh& mesh) {
  constexpr int most_blocks = 20000;
  const MacroTopology& topology = mesh.numbers->topology();
  if (topology.blocks() > most_blocks) return;
  std::vector<BlockSurface> surfaces;
  for (int b = 0; b < topology.blocks(); ++b) surfaces.emplace_back(mesh, b);
  for (int b = 0; b < topology.blocks(); ++b) {
    const BlockSurface& own = surfaces[static_cast<std::size_t>(b)];
    std::vector<Sample> samples;
    for (int other = 0; other < topology.blocks(); ++other) {
      const BlockSurface& there = surfaces[static_cast<std::size_t>(other)];
      bool near = other != b;
      for (std::size_t d = 0; d < (own.flat ? 2 : 3); ++d)
        near = near && own.lower[d] < there.upper[d] && there.lower[d] < own.upper[d];
      if (!near) continue;
      if (samples.empty()) samples = samples_of(mesh, b);
      for (const auto& [x, part] : samples)
        if (std::ranges::find(topology.parts()[static_cast<std::size_t>(part)].blocks, other) ==
                topology.parts()[static_cast<std::size_t>(part)].blocks.end() &&
            there.contains_deeply(x))
          throw InputError(topology.mesh().blocks[static_cast<std::size_t>(std::min(b, other))].name + " and " +
                           topology.mesh().blocks[static_cast<std::size_t>(std::max(b, other))].name + " overlap at " +
                           place_text(x, mesh.mesh->dimension) +
                           "; correct their vertices or their curves, or remove one of them");
    }
  }
}

}  // namespace poisson
