#include "grids/blocks/line_sizes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/crossing_lines.hpp"

namespace poisson {
namespace {

// Couplings along an axis exceed half of the diagonal for a larger G_dd / Σ G_ee.
constexpr double flat_cells = 2;
// Ends on a side in space are looked for at so many places along each axis.
constexpr int places_of_ends = 64;

// Returns the weights of the end of a long line of equal cells (CrossingLines), of at most `most` nodes. 0: the line is
// not strong. With ρ = 2a/d for the coupling a and the diagonal d, s is √(1 − ρ²) d, and h falls by acosh(1/ρ) a node.
double weights_of_end(double strength, int most) {
  const double ratio = (strength - 0.5) / (strength + 1);
  if (!(ratio > 0) || !(std::sqrt(1 - ratio * ratio) < strong_crossing)) return 0;
  return std::min<double>(most, -std::log(least_h) / std::acosh(1 / ratio));
}

// Returns the place of a sample on an axis; the first and the last one are at its ends.
int place_of_sample(int number, int samples, int cells) {
  return samples == 1 ? 0 : static_cast<int>(std::int64_t{number} * (cells - 1) / (samples - 1));
}

// Returns the fine nodes that are the nodes of a coarse axis.
std::vector<int> kept_nodes(int fine, int coarse) {
  std::vector<int> kept(static_cast<std::size_t>(fine) + 1);
  std::iota(kept.begin(), kept.end(), 0);
  while (std::ssize(kept) - 1 > coarse)
    kept = coarse_nodes(kept, static_cast<int>(coarse_cells(static_cast<int>(kept.size()) - 1).size()) - 1);
  return kept;
}

// Contains the nodes of a block on a level.
class BlockOnLevel {
 public:
  BlockOnLevel(const BlockMesh& mesh, int block, const std::array<int, 3>& cells)
      : mesh_(mesh), piece_(mesh.piece(block)), dimension_(static_cast<std::size_t>(mesh.mesh->dimension)) {
    for (std::size_t d = 0; d < dimension_; ++d) {
      kept_[d] = kept_nodes(piece_.cells[d], cells[d]);
      count_[d] = static_cast<int>(kept_[d].size()) - 1;
    }
  }

  // Returns G_dd of an axis over the sum of the others, the largest on lines along it.
  double strength(std::size_t axis) const {
    double most = 0;
    const std::size_t e = (axis + 1) % dimension_, f = 3 - axis - e;
    for (const int at_e : samples(e))
      for (const int at_f : dimension_ == 2 ? std::vector{0} : samples(f))
        for (int c = 0; c < count_[axis]; ++c) {
          std::array<int, 3> cell{};
          cell[axis] = c;
          cell[e] = at_e;
          if (dimension_ == 3) cell[f] = at_f;
          most = std::max(most, strength_of(cell, axis));
        }
    return most;
  }
  // Adds the ends of lines along an axis on a side, and their weights.
  void add_ends(std::size_t axis, bool upper, BlockLevelSize::Lines& to) const {
    const std::size_t e = (axis + 1) % dimension_, f = 3 - axis - e;
    const int last = dimension_ == 2 ? 1 : count_[f],
              of_e = dimension_ == 2 ? count_[e] : std::min(count_[e], places_of_ends),
              of_f = std::min(last, places_of_ends);
    const double each = (count_[e] + 1.0) * (dimension_ == 2 ? 1 : last + 1) / (of_e * of_f);
    for (int n = 0; n < of_e * of_f; ++n) {
      std::array<int, 3> cell{};
      cell[axis] = upper ? count_[axis] - 1 : 0;
      cell[e] = place_of_sample(n % of_e, of_e, count_[e]);
      if (dimension_ == 3) cell[f] = place_of_sample(n / of_e, of_f, last);
      const double weights = weights_of_end(strength_of(cell, axis), count_[axis]);
      to.ends += weights > 0 ? each : 0;
      to.weights += each * weights;
    }
  }

 private:
  std::vector<int> samples(std::size_t axis) const { return {0, count_[axis] / 2, count_[axis] - 1}; }

  const Place3& place(const std::array<int, 3>& cell, std::size_t corner) const {
    std::array<int, 3> node{};
    for (std::size_t d = 0; d < dimension_; ++d)
      node[d] = kept_[d][static_cast<std::size_t>(cell[d]) + (corner >> d & 1)];
    return mesh_.place(piece_, node);
  }
  double strength_of(const std::array<int, 3>& cell, std::size_t axis) const {
    std::array<Place3, 3> along{};
    along[2] = {0, 0, 1};
    for (std::size_t d = 0; d < dimension_; ++d) {
      along[d] = {};
      for (std::size_t c = 0; c < std::size_t{1} << dimension_; ++c)
        for (std::size_t a = 0; a < 3; ++a) along[d][a] += (c >> d & 1 ? 1.0 : -1.0) * place(cell, c)[a];
    }
    double own = 0, others = 0;
    for (std::size_t d = 0; d < dimension_; ++d) {
      const Place3 &v = along[(d + 1) % 3], &w = along[(d + 2) % 3];
      const Place3 area{v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]};
      (d == axis ? own : others) += area[0] * area[0] + area[1] * area[1] + area[2] * area[2];
    }
    return others > 0 ? own / others : 0;
  }

  const BlockMesh& mesh_;
  BlockMesh::Piece piece_;
  std::size_t dimension_;
  std::array<std::vector<int>, 3> kept_;
  std::array<int, 3> count_{1, 1, 1};
};

}  // namespace

void add_line_sizes(const BlockMesh& mesh, const BlockNumbers& numbers, const std::vector<int>& process,
                    std::vector<BlockLevelSize>& sizes) {
  const MacroTopology& topology = numbers.topology();
  const auto blocks = static_cast<std::size_t>(topology.blocks()),
             dimension = static_cast<std::size_t>(topology.dimension());
  std::vector<std::array<BlockLevelSize::Lines, 3>> of_axis(blocks);
#pragma omp parallel for schedule(dynamic, 1) if (blocks > 8)
  for (std::size_t b = 0; b < blocks; ++b) {
    const BlockOnLevel block(mesh, static_cast<int>(b), numbers.cells_of(static_cast<int>(b)));
    for (std::size_t d = 0, stride = 1; d < dimension; ++d, stride *= 3) {
      if (!(block.strength(d) > flat_cells)) continue;
      of_axis[b][d].factors = 1;
      for (const bool upper : {false, true}) {
        const std::size_t middle = static_cast<std::size_t>(topology.places()) / 2;
        const PartInBlock& side =
            topology.place(static_cast<int>(b), static_cast<int>(upper ? middle + stride : middle - stride));
        if (topology.parts()[static_cast<std::size_t>(side.part)].blocks.size() > 1)
          block.add_ends(d, upper, of_axis[b][d]);
      }
    }
  }
  std::vector<std::map<std::array<int, 4>, double>> listed(sizes.size());
  for (std::size_t b = 0; b < blocks; ++b) {
    std::array<int, 4> key{1, 1, 1, 0};
    double nodes = 1, inside = 1;
    for (std::size_t d = 0; d < dimension; ++d) {
      key[d] = numbers.cells_of(static_cast<int>(b))[d] + 1;
      nodes *= key[d];
      inside *= key[d] - 2;
    }
    const auto p = static_cast<std::size_t>(process[b]);
    BlockLevelSize::Lines& to = sizes[p].lines;
    int axes = 0;
    for (std::size_t d = 0; d < dimension; ++d) {
      if (of_axis[b][d].factors == 0) continue;
      key[3] |= 1 << d;
      ++axes;
      to.factors += nodes;
      to.ends += of_axis[b][d].ends;
      to.weights += of_axis[b][d].weights;
    }
    if (axes == 0) continue;
    to.several = to.several || axes > 1;
    to.slots += nodes - inside;
    listed[p][key] += nodes;
    to.listed = std::max(to.listed, listed[p][key]);
  }
}

}  // namespace poisson
