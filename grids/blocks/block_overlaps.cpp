// This file finds blocks that overlap.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_mesh_steps.hpp"
#include "grids/blocks/place_text.hpp"

namespace poisson {
namespace {

using Node = std::array<int, 3>;

// Surfaces of blocks are followed with this number of segments at most along each axis.
constexpr int most_segments = 16;

double length_between(const Place3& a, const Place3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
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
  double longest = 0;                         // edge of a piece
  bool flat;

  BlockSurface(const BlockMesh& mesh, int block) : flat(mesh.mesh->dimension == 2) {
    const Node n = mesh.numbers->cells_of(block);
    const auto at = [&](const Node& node) {
      return mesh.mesh->points[static_cast<std::size_t>(mesh.numbers->number(block, node))];
    };
    const std::size_t dimension = flat ? 2 : 3;
    for (std::size_t d = 0; d < dimension; ++d)
      for (const bool end : {false, true}) {
        const std::size_t a = (d + 1) % dimension, b = flat ? 2 : (d + 2) % 3;
        const std::vector<int> along = steps(n[a]), across = flat ? std::vector{0, 0} : steps(n[b]);
        for (std::size_t j = 0; j + 1 < across.size(); ++j)
          for (std::size_t i = 0; i + 1 < along.size(); ++i) {
            const auto corner = [&](std::size_t x, std::size_t y) {
              Node node{};
              node[d] = end ? n[d] : 0;
              node[a] = along[i + x];
              if (!flat) node[b] = across[j + y];
              return at(node);
            };
            // Normals of both ends point outwards, or all of them inwards.
            if (flat)
              add({corner(0, 0), corner(1, 0), corner(1, 0)}, false);
            else
              for (const std::size_t half : {std::size_t{0}, std::size_t{1}})
                add({corner(0, 0), corner(1, half), corner(half == 0 ? 1 : 0, 1)}, !end);
          }
      }
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());
    for (const auto& piece : pieces)
      for (const Place3& x : piece)
        for (std::size_t d = 0; d < 3; ++d) {
          lower[d] = std::min(lower[d], x[d]);
          upper[d] = std::max(upper[d], x[d]);
        }
  }

  // Returns whether a place is inside, and farther from all corners of pieces than a place on a piece can be: pieces do
  // not follow curved sides exactly.
  bool contains_deeply(const Place3& x) const {
    const double margin = 0.75 * longest;
    for (std::size_t d = 0; d < (flat ? 2 : 3); ++d)
      if (!(x[d] > lower[d] + margin && x[d] < upper[d] - margin)) return false;
    double nearest = std::numeric_limits<double>::infinity(), angle = 0;
    int crossings = 0;
    for (const auto& piece : pieces) {
      for (const Place3& corner : piece) nearest = std::min(nearest, length_between(corner, x));
      if (!flat) {
        angle += solid_angle(piece, x);
        continue;
      }
      const Place3 &a = piece[0], &b = piece[1];
      if ((a[1] > x[1]) == (b[1] > x[1])) continue;
      crossings += a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) > x[0];
    }
    return nearest > margin && (flat ? crossings % 2 == 1 : std::abs(angle) > 2 * std::numbers::pi);
  }

 private:
  static std::vector<int> steps(int cells) {
    const int count = std::min(cells, most_segments);
    std::vector<int> at;
    for (int s = 0; s <= count; ++s) at.push_back(static_cast<int>(std::int64_t{cells} * s / count));
    return at;
  }
  void add(std::array<Place3, 3> piece, bool turned) {
    if (turned) std::swap(piece[1], piece[2]);
    pieces.push_back(piece);
    for (std::size_t c = 0; c < 3; ++c) longest = std::max(longest, length_between(piece[c], piece[(c + 1) % 3]));
  }
};

// Returns centres of cells of a block: near its corners, its edges and its middle.
std::vector<Place3> samples_of(const BlockMesh& mesh, int block) {
  const Node n = mesh.numbers->cells_of(block);
  const MeshCells& cells =
      *mesh.mesh->find(mesh.mesh->dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron);
  std::vector<Place3> samples;
  const auto place = [](int count, int eighths) {
    return std::min(count - 1, static_cast<int>(std::int64_t{count} * eighths / 8));
  };
  for (const int k : {1, 4, 7})
    for (const int j : {1, 4, 7})
      for (const int i : {1, 4, 7}) {
        if (n[2] == 0 && k > 1) continue;
        const std::int64_t plane = n[2] == 0 ? 0 : place(n[2], k);
        samples.push_back(
            centre_of(*mesh.mesh, cells.of(mesh.first_cell[static_cast<std::size_t>(block)] + place(n[0], i) +
                                           std::int64_t{n[0]} * (place(n[1], j) + std::int64_t{n[1]} * plane))));
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
    std::vector<Place3> samples;
    for (int other = 0; other < topology.blocks(); ++other) {
      const BlockSurface& there = surfaces[static_cast<std::size_t>(other)];
      bool near = other != b;
      for (std::size_t d = 0; d < (own.flat ? 2 : 3); ++d)
        near = near && own.lower[d] < there.upper[d] && there.lower[d] < own.upper[d];
      if (!near) continue;
      if (samples.empty()) samples = samples_of(mesh, b);
      for (const Place3& x : samples)
        if (there.contains_deeply(x))
          throw InputError(topology.mesh().blocks[static_cast<std::size_t>(std::min(b, other))].name + " and " +
                           topology.mesh().blocks[static_cast<std::size_t>(std::max(b, other))].name + " overlap at " +
                           place_text(x, mesh.mesh->dimension) +
                           "; correct their vertices or their curves, or remove one of them");
    }
  }
}

}  // namespace poisson
