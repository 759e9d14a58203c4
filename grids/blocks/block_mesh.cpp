#include "grids/blocks/block_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "grids/blocks/block_mesh_steps.hpp"
#include "grids/compact/csr.hpp"

namespace poisson {
namespace {

using Node = std::array<int, 3>;

Place3 weighted_sum(const std::vector<std::pair<double, Place3>>& terms) {
  Place3 sum{};
  for (const auto& [w, x] : terms)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += w * x[d];
  return sum;
}

/// Places the nodes of all parts, in the order of their dimensions.
class NodePlacer {
 public:
  NodePlacer(const BlockGeometry& geometry, const BlockNumbers& numbers, UnsetVector<Place3>& points)
      : geometry_(geometry), topology_(*geometry.topology), numbers_(numbers), points_(points) {
    for (const MacroPart& part : topology_.parts())
      if (part.dimension == 0)
        points_[at(numbers_.first(number(part)))] =
            topology_.mesh().vertices[static_cast<std::size_t>(part.corners[0])];
    for (const MacroPart& part : topology_.parts())
      if (part.dimension == 1) place_edge(number(part), part);
    for (int dimension = 2; dimension <= topology_.dimension(); ++dimension)
      for (const MacroPart& part : topology_.parts())
        if (part.dimension == dimension) place_inside(number(part), part);
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  int number(const MacroPart& part) const { return static_cast<int>(&part - topology_.parts().data()); }

  // Returns the fraction of node i along an axis with this class and direction.
  double fraction(int edge_class, bool against, int i) const {
    const std::vector<double>& table = geometry_.fractions[at(edge_class)];
    return against ? 1 - table[table.size() - 1 - at(i)] : table[at(i)];
  }

  void place_edge(int p, const MacroPart& part) {
    const auto& vertices = topology_.mesh().vertices;
    const auto given = geometry_.curves.find(p);
    const Curve curve = given != geometry_.curves.end()
                            ? given->second
                            : straight(vertices[at(part.corners[0])], vertices[at(part.corners[1])]);
    // An edge of several projected faces is projected onto each in turn, three times.
    std::vector<Surface> onto;
    for (const auto& [face, surface] : geometry_.surfaces)
      if (contains(topology_.parts()[at(face)], part)) onto.push_back(surface);
    const int n = numbers_.extent(p)[0];
    for (int i = 0; i < n; ++i) {
      Place3 x = curve(fraction(part.edge_class[0], part.against[0], i + 1));
      for (int round = 0; round < (onto.size() > 1 ? 3 : 1); ++round)
        for (const Surface& surface : onto) x = surface(x);
      points_[at(numbers_.first(p) + i)] = x;
    }
  }

  static bool contains(const MacroPart& face, const MacroPart& edge) {
    const auto has = [&](int vertex) {
      return std::find(face.corners.begin(), face.corners.begin() + (1 << face.dimension), vertex) !=
             face.corners.begin() + (1 << face.dimension);
    };
    return has(edge.corners[0]) && has(edge.corners[1]);
  }

  // Interpolates the interior of a face or block from what surrounds it, in the indices of the block that owns it.
  void place_inside(int p, const MacroPart& part) {
    const int block = part.blocks[0], place = first_place(topology_, block, p);
    const Box box = numbers_.box_of(block, place);
    const Node n = numbers_.cells_of(block), position = MacroTopology::position(place);
    std::vector<std::size_t> axes;
    for (std::size_t d = 0; d < static_cast<std::size_t>(topology_.dimension()); ++d)
      if (position[d] == 1) axes.push_back(d);
    const auto surface = geometry_.surfaces.find(p);
    const std::int64_t planes = std::int64_t{box.last[2] - box.first[2]} * (box.last[1] - box.first[1]);
#pragma omp parallel for schedule(static) if (box.size() > row_chunk)
    for (std::int64_t line = 0; line < planes; ++line) {
      const int j = box.first[1] + static_cast<int>(line % (box.last[1] - box.first[1]));
      const int k = box.first[2] + static_cast<int>(line / (box.last[1] - box.first[1]));
      if (axes.size() == 3) {
        place_line(block, n, j, k);
        continue;
      }
      for (int i = box.first[0]; i < box.last[0]; ++i) {
        const Node node{i, j, k};
        Place3 x = interpolated(block, node, n, axes);
        if (surface != geometry_.surfaces.end()) x = surface->second(x);
        points_[at(numbers_.number(block, node))] = x;
      }
    }
  }

  // Places a line of nodes inside of a hexahedron. The nodes of other lines that it is interpolated from are evenly
  // spaced in memory.
  void place_line(int block, const Node& n, int j, int k) {
    struct Line {
      double weight;
      const Place3* first;  // node 1
      std::ptrdiff_t step;
      Place3 lower, upper;
    };
    std::array<Line, 9> lines;
    const std::array<double, 2> t{fraction_of(block, 1, j), fraction_of(block, 2, k)};
    for (std::size_t c = 0; c < 9; ++c) {  // of each axis: the node, the lower or the upper end
      const std::array<std::size_t, 2> choice{c % 3, c / 3};
      Node at{0, j, k};
      Line& line = lines[c];
      line.weight = -1;
      for (std::size_t a = 0; a < 2; ++a) {
        if (choice[a] == 0) continue;
        at[a + 1] = choice[a] == 1 ? 0 : n[a + 1];
        line.weight *= -(choice[a] == 1 ? 1 - t[a] : t[a]);
      }
      const auto number = [&](int i) { return numbers_.number(block, {i, at[1], at[2]}); };
      line.first = &points_[this->at(number(1))];
      line.step = n[0] > 2 ? number(2) - number(1) : 0;
      line.lower = points_[this->at(number(0))];
      line.upper = points_[this->at(number(n[0]))];
    }
    Place3* const to = &points_[at(numbers_.number(block, {1, j, k}))];
    for (int i = 1; i < n[0]; ++i) {
      const double s = fraction_of(block, 0, i);
      Place3 x{};
      for (std::size_t c = 0; c < 9; ++c) {
        const Line& line = lines[c];
        const Place3& own = line.first[(i - 1) * line.step];
        for (std::size_t d = 0; d < 3; ++d) {
          const double ends = (1 - s) * line.lower[d] + s * line.upper[d];
          x[d] += line.weight * ((c == 0 ? 0 : own[d]) - ends);
        }
      }
      to[i - 1] = x;
    }
  }
  double fraction_of(int block, std::size_t axis, int i) const {
    return fraction(topology_.edge_class(block, axis), topology_.against(block, axis), i);
  }

  // Is the Boolean sum of linear interpolations along the axes: 1 − Π (1 − P_d).
  Place3 interpolated(int block, const Node& node, const Node& n, const std::vector<std::size_t>& axes) const {
    std::vector<std::pair<double, Place3>> terms;
    const std::size_t m = axes.size();
    std::size_t choices = 1;
    for (std::size_t a = 0; a < m; ++a) choices *= 3;
    for (std::size_t choice = 1; choice < choices; ++choice) {  // of each axis: the node, the lower or the upper end
      Node there = node;
      double weight = -1;
      std::size_t rest = choice;
      for (std::size_t a = 0; a < m; ++a, rest /= 3) {
        if (rest % 3 == 0) continue;
        const std::size_t d = axes[a];
        const double t = fraction(topology_.edge_class(block, d), topology_.against(block, d), node[d]);
        there[d] = rest % 3 == 1 ? 0 : n[d];
        weight *= -(rest % 3 == 1 ? 1 - t : t);
      }
      terms.emplace_back(weight, points_[at(numbers_.number(block, there))]);
    }
    return weighted_sum(terms);
  }

  const BlockGeometry& geometry_;
  const MacroTopology& topology_;
  const BlockNumbers& numbers_;
  UnsetVector<Place3>& points_;
};

// Returns the offsets of the corners of a cell in the order of VTK.
std::vector<Node> corner_offsets(int dimension) {
  std::vector<Node> offsets{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  if (dimension == 3)
    for (std::size_t c = 0; c < 4; ++c) offsets.push_back({offsets[c][0], offsets[c][1], 1});
  return offsets;
}

// Is the numbers of a line of nodes along x. Those between its ends are evenly spaced.
class NodeLine {
 public:
  NodeLine() = default;
  NodeLine(const BlockNumbers& numbers, int block, int j, int k, int cells) : last_(cells) {
    const auto number = [&](int i) { return static_cast<int>(numbers.number(block, {i, j, k})); };
    lower_ = number(0);
    upper_ = number(cells);
    if (cells > 1) first_ = number(1);
    if (cells > 2) step_ = number(2) - first_;
  }
  int operator()(int i) const { return i == 0 ? lower_ : i == last_ ? upper_ : first_ + (i - 1) * step_; }

 private:
  int lower_ = 0, upper_ = 0, first_ = 0, step_ = 0, last_ = 0;
};

// Adds the cells of all blocks.
void add_cells(const BlockNumbers& numbers, BlockMesh& blocks, const std::vector<int>& label, MeshCells& cells) {
  const int dimension = numbers.topology().dimension(), count = numbers.topology().blocks();
  const std::vector<Node> offsets = corner_offsets(dimension);
  blocks.first_cell = {0};
  for (int b = 0; b < count; ++b) blocks.first_cell.push_back(blocks.first_cell.back() + numbers.cell_count(b));
  cells.label.resize(static_cast<std::size_t>(blocks.first_cell.back()));
  cells.corners.resize(cells.label.size() * offsets.size());
  for (int b = 0; b < count; ++b) {
    const Node n = numbers.cells_of(b);
    const std::int64_t first = blocks.first_cell[static_cast<std::size_t>(b)];
    const std::int64_t lines = numbers.cell_count(b) / n[0];
#pragma omp parallel for schedule(static) if (lines * n[0] > row_chunk)
    for (std::int64_t line = 0; line < lines; ++line) {
      const int j = static_cast<int>(line % n[1]), k = static_cast<int>(line / n[1]);
      std::array<NodeLine, 4> nodes;
      for (std::size_t v = 0; v < offsets.size() / 2; ++v)
        nodes[v] = NodeLine(numbers, b, j + static_cast<int>(v & 1), k + static_cast<int>(v >> 1), n[0]);
      for (int i = 0; i < n[0]; ++i) {
        const auto e = static_cast<std::size_t>(first + line * n[0] + i);
        for (std::size_t v = 0; v < offsets.size(); ++v)
          cells.corners[e * offsets.size() + v] =
              nodes[static_cast<std::size_t>(offsets[v][1] + 2 * offsets[v][2])](i + offsets[v][0]);
        cells.label[e] = label[static_cast<std::size_t>(b)];
      }
    }
  }
}

// Adds the sides of a face or, in the plane, of an edge.
void add_sides(const BlockNumbers& numbers, int p, int label, MeshCells& sides) {
  const MacroTopology& topology = numbers.topology();
  const int block = topology.parts()[static_cast<std::size_t>(p)].blocks[0], place = first_place(topology, block, p);
  const Node n = numbers.cells_of(block), position = MacroTopology::position(place);
  std::vector<std::size_t> axes;
  Node origin{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(topology.dimension()); ++d) {
    if (position[d] == 1) axes.push_back(d);
    origin[d] = position[d] == 2 ? n[d] : 0;
  }
  const auto add = [&](Node node, int i, int j) {
    node[axes[0]] += i;
    if (axes.size() > 1) node[axes[1]] += j;
    sides.corners.push_back(static_cast<int>(numbers.number(block, node)));
  };
  for (int j = 0; j < (axes.size() > 1 ? n[axes[1]] : 1); ++j)
    for (int i = 0; i < n[axes[0]]; ++i) {
      Node node = origin;
      node[axes[0]] = i;
      if (axes.size() > 1) node[axes[1]] = j;
      add(node, 0, 0);
      add(node, 1, 0);
      if (axes.size() > 1) {
        add(node, 1, 1);
        add(node, 0, 1);
      }
      sides.label.push_back(label);
    }
}

/// Finds labels for parts in several patches.
class PatchLabels {
 public:
  PatchLabels(const std::vector<BlockPatch>& patches, const MacroTopology& topology, Mesh& mesh) : mesh_(mesh) {
    of_part_.resize(topology.parts().size());
    for (const BlockPatch& patch : patches) {
      const int dimension = patch.parts.empty() ? topology.dimension() - 1
                                                : topology.parts()[static_cast<std::size_t>(patch.parts[0])].dimension;
      add_group(patch.name, dimension);
      for (const int p : patch.parts) of_part_[static_cast<std::size_t>(p)].push_back(groups() - 1);
    }
  }
  void add_group(const std::string& name, int dimension) { mesh_.groups.push_back({dimension, groups() + 1, name}); }
  int groups() const { return static_cast<int>(mesh_.groups.size()); }
  std::vector<int>& of(int part) { return of_part_[static_cast<std::size_t>(part)]; }
  int label(int part) {
    const std::vector<int>& wanted = of(part);
    const auto known = std::ranges::find(mesh_.labels, wanted);
    if (known != mesh_.labels.end()) return static_cast<int>(known - mesh_.labels.begin());
    mesh_.labels.push_back(wanted);
    return static_cast<int>(mesh_.labels.size()) - 1;
  }

 private:
  Mesh& mesh_;
  std::vector<std::vector<int>> of_part_;
};

// Throws InputError if there are too many nodes for their numbers or for the memory of the host. At its peak, making
// the mesh needs about the bytes below, measured with 160³ and 2000² cells.
void check_size(const BlockNumbers& numbers) {
  if (numbers.count() >= std::numeric_limits<int>::max())
    throw InputError("the blocks have " + std::to_string(numbers.count()) +
                     " nodes, but this version supports 2·10⁹; use fewer cells");
  if (numbers.count() < 1'000'000) return;
  const double bytes = static_cast<double>(numbers.count()) * (numbers.topology().dimension() == 2 ? 80 : 130);
  const MemoryLimit limit = hard_memory_limit();
  if (bytes > static_cast<double>(limit.bytes))
    throw InputError("the mesh of " + std::to_string(numbers.count()) + " nodes needs about " +
                     std::to_string(static_cast<int>(bytes / 1e9)) + " GB on the host, but " + limit.source +
                     " allows " + std::to_string(limit.bytes / 1'000'000'000) + " GB; use fewer cells");
}

}  // namespace

BlockMesh make_block_mesh(const BlockGeometry& geometry) {
  const MacroTopology& topology = *geometry.topology;
  BlockMesh made;
  made.numbers = std::make_shared<BlockNumbers>(geometry.topology, geometry.cells);
  made.nodes = made.numbers;
  check_size(*made.numbers);
  if (geometry.joined) join_nodes(geometry, made);
  auto mesh = std::make_shared<Mesh>();
  mesh->dimension = topology.dimension();
  mesh->source = "blocks";
  mesh->points.resize(static_cast<std::size_t>(made.numbers->count()));
  NodePlacer(geometry, *made.numbers, mesh->points);
  PatchLabels labels(geometry.patches, topology, *mesh);
  std::vector<int> unnamed, sides;
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    const MacroPart& part = topology.parts()[p];
    if (part.dimension != topology.dimension() - 1) continue;
    const int number = static_cast<int>(p);
    if (labels.of(number).empty() && part.blocks.size() == 1) unnamed.push_back(number);
    if (!labels.of(number).empty() || part.blocks.size() == 1) sides.push_back(number);
  }
  if (!unnamed.empty()) labels.add_group(unnamed_patch, topology.dimension() - 1);
  for (const int p : unnamed) labels.of(p) = {labels.groups() - 1};
  MeshCells& of_sides = mesh->of_shape(topology.dimension() == 2 ? CellShape::line : CellShape::quadrilateral);
  for (const int p : sides) add_sides(*made.numbers, p, labels.label(p), of_sides);
  std::vector<int> of_blocks;
  for (int b = 0; b < topology.blocks(); ++b) of_blocks.push_back(labels.label(b));
  add_cells(*made.numbers, made, of_blocks,
            mesh->of_shape(topology.dimension() == 2 ? CellShape::quadrilateral : CellShape::hexahedron));
  made.mesh = std::move(mesh);
  check_cells(made);
  check_overlaps(made);
  check_joined(made);
  return made;
}

}  // namespace poisson
