// This file cuts blocks that are too large for an equal share of several processes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "grids/blocks/block_mesh.hpp"
#include "grids/blocks/block_space.hpp"

namespace poisson {
namespace {

// Processes may have this part of their mean number of cells more than that.
constexpr double most_over = 0.1;
constexpr int least_cells = 4;
// Axes whose cells are thinner than this part of the others are not cut: lines across thin cells must stay whole.
constexpr double least_thickness = 0.3;

// Contains where each edge class is cut, from 0 to its number of cells, in its direction.
using ClassCuts = std::vector<std::vector<int>>;

// Returns the cuts of a block's axis in the direction of the axis.
std::vector<int> cuts_of(const MacroTopology& topology, const ClassCuts& cuts, int block, std::size_t axis) {
  std::vector<int> own = cuts[static_cast<std::size_t>(topology.edge_class(block, axis))];
  if (!topology.against(block, axis)) return own;
  const int cells = own.back();
  std::ranges::reverse(own);
  for (int& at : own) at = cells - at;
  return own;
}

// Returns the mesh whose unknowns are numbered by pieces of blocks.
BlockMesh cut(const BlockMesh& mesh, const ClassCuts& cuts) {
  const BlockNumbers& numbers = *mesh.numbers;
  const MacroTopology& topology = numbers.topology();
  BlockMesh made = mesh;
  made.pieces.clear();
  MacroMesh macro;
  macro.dimension = topology.dimension();
  std::map<std::int64_t, int> vertex;  // of points
  const auto vertex_at = [&](int block, const std::array<int, 3>& node) {
    const std::int64_t point = numbers.number(block, node);
    const auto [known, fresh] = vertex.try_emplace(point, static_cast<int>(macro.vertices.size()));
    if (fresh) macro.vertices.push_back(mesh.mesh->points[static_cast<std::size_t>(point)]);
    return known->second;
  };
  for (int b = 0; b < topology.blocks(); ++b) {
    std::array<std::vector<int>, 3> at{{{0, 0}, {0, 0}, {0, 0}}};
    for (std::size_t d = 0; d < static_cast<std::size_t>(macro.dimension); ++d) at[d] = cuts_of(topology, cuts, b, d);
    for (std::size_t k = 0; k + 1 < at[2].size(); ++k)
      for (std::size_t j = 0; j + 1 < at[1].size(); ++j)
        for (std::size_t i = 0; i + 1 < at[0].size(); ++i) {
          const std::array<std::array<int, 2>, 3> ends{
              {{at[0][i], at[0][i + 1]}, {at[1][j], at[1][j + 1]}, {at[2][k], at[2][k + 1]}}};
          MacroMesh::Block piece;
          for (std::size_t c = 0; c < macro.corners(); ++c)
            piece.corners[c] = vertex_at(b, {ends[0][c & 1], ends[1][c >> 1 & 1], ends[2][c >> 2]});
          piece.name = topology.mesh().blocks[static_cast<std::size_t>(b)].name;
          macro.blocks.push_back(piece);
          made.pieces.push_back({b,
                                 {ends[0][0], ends[1][0], ends[2][0]},
                                 {ends[0][1] - ends[0][0], ends[1][1] - ends[1][0], ends[2][1] - ends[2][0]}});
        }
  }
  const auto pieces = std::make_shared<const MacroTopology>(macro);
  std::vector<int> cells(pieces->classes().size(), 0);
  for (int p = 0; p < pieces->blocks(); ++p)
    for (std::size_t d = 0; d < static_cast<std::size_t>(macro.dimension); ++d)
      cells[static_cast<std::size_t>(pieces->edge_class(p, d))] = made.pieces[static_cast<std::size_t>(p)].cells[d];
  made.nodes = std::make_shared<const BlockNumbers>(pieces, std::move(cells));
  made.node_of_point.assign(static_cast<std::size_t>(numbers.count()), -1);
  for (int p = 0; p < pieces->blocks(); ++p) {
    const BlockMesh::Piece& piece = made.pieces[static_cast<std::size_t>(p)];
    for (int k = 0; k <= piece.cells[2]; ++k)
      for (int j = 0; j <= piece.cells[1]; ++j)
        for (int i = 0; i <= piece.cells[0]; ++i)
          made.node_of_point[static_cast<std::size_t>(
              numbers.number(piece.block, {piece.first[0] + i, piece.first[1] + j, piece.first[2] + k}))] =
              static_cast<int>(made.nodes->number(p, {i, j, k}));
  }
  return made;
}

// Returns the least width of cells of each class, along the edges of blocks. Lines should not be cut across thin cells.
std::vector<double> least_widths(const BlockMesh& mesh) {
  const BlockNumbers& numbers = *mesh.numbers;
  const MacroTopology& topology = numbers.topology();
  std::vector<double> least(topology.classes().size(), std::numeric_limits<double>::infinity());
  for (int b = 0; b < topology.blocks(); ++b)
    for (std::size_t d = 0; d < static_cast<std::size_t>(topology.dimension()); ++d) {
      const std::array<int, 3> n = numbers.cells_of(b);
      double& width = least[static_cast<std::size_t>(topology.edge_class(b, d))];
      std::array<int, 3> at{};
      for (int i = 0; i < n[d]; ++i) {
        at[d] = i;
        const auto& from = mesh.mesh->points[static_cast<std::size_t>(numbers.number(b, at))];
        at[d] = i + 1;
        const auto& to = mesh.mesh->points[static_cast<std::size_t>(numbers.number(b, at))];
        width = std::min(width, std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]));
      }
    }
  return least;
}

// Returns the cells of the process with most of them, over the mean.
double imbalance(const BlockNumbers& numbers, int processes) {
  const std::vector<int> process = share_blocks(numbers, processes);
  std::vector<double> cells(static_cast<std::size_t>(processes), 0);
  double all = 0;
  for (int b = 0; b < numbers.topology().blocks(); ++b) {
    cells[static_cast<std::size_t>(process[static_cast<std::size_t>(b)])] += static_cast<double>(numbers.cell_count(b));
    all += static_cast<double>(numbers.cell_count(b));
  }
  return *std::ranges::max_element(cells) * processes / all;
}

// Chooses the axis of the largest piece that is cut next: of the longer axes the one with the widest cells.
int class_to_cut(const BlockMesh& mesh, const BlockMesh& now, const ClassCuts& cuts,
                 const std::vector<double>& widths) {
  const MacroTopology& topology = mesh.numbers->topology();
  int largest = 0;
  for (int b = 1; b < now.nodes->topology().blocks(); ++b)
    if (now.nodes->cell_count(b) > now.nodes->cell_count(largest)) largest = b;
  const int block = now.pieces.empty() ? largest : now.pieces[static_cast<std::size_t>(largest)].block;
  const std::array<int, 3> n = now.nodes->cells_of(largest);
  const int most = std::ranges::max(n);
  int found = -1;
  double widest = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(topology.dimension()); ++d)
    widest = std::max(widest, widths[static_cast<std::size_t>(topology.edge_class(block, d))]);
  for (std::size_t d = 0; d < static_cast<std::size_t>(topology.dimension()); ++d) {
    const int of = topology.edge_class(block, d);
    if (widths[static_cast<std::size_t>(of)] < least_thickness * widest) continue;
    if (2 * n[d] < most || n[d] < 2 * least_cells) continue;
    if (topology.classes()[static_cast<std::size_t>(of)].twisted) continue;
    if (static_cast<std::size_t>(mesh.numbers->cells()[static_cast<std::size_t>(of)]) <
        2 * least_cells * (cuts[static_cast<std::size_t>(of)].size() - 1))
      continue;
    if (found < 0 || widths[static_cast<std::size_t>(of)] > 1.01 * widths[static_cast<std::size_t>(found)]) found = of;
  }
  return found;
}

}  // namespace

BlockMesh cut_for_processes(const BlockMesh& mesh, int processes) {
  BlockMesh now = mesh;
  if (processes == 1 || mesh.nodes != mesh.numbers) return now;
  const std::vector<double> widths = least_widths(mesh);
  ClassCuts cuts;
  for (const int cells : mesh.numbers->cells()) cuts.push_back({0, cells});
  double best = imbalance(*now.nodes, processes);
  BlockMesh found = now;
  // A round with more pieces may be less balanced than the one before, but lead to a better one.
  for (int round = 0; round < 12 && best > 1 + most_over; ++round) {
    const int chosen = class_to_cut(mesh, now, cuts, widths);
    if (chosen < 0) break;
    std::vector<int>& own = cuts[static_cast<std::size_t>(chosen)];
    const int cells = own.back(), parts = static_cast<int>(own.size());  // one more than before
    own.clear();
    for (int p = 0; p <= parts; ++p) own.push_back(static_cast<int>(std::int64_t{cells} * p / parts));
    now = cut(mesh, cuts);
    const double reached = imbalance(*now.nodes, processes);
    if (reached >= best - 0.01) continue;
    best = reached;
    found = now;
  }
  return found;
}

}  // namespace poisson
