#include "io/meshes/macro_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Corner c in tensor order is corner order[c] of a cell of VTK.
constexpr std::array<std::size_t, 8> order{0, 1, 3, 2, 4, 5, 7, 6};

std::string at_text(const Place3& x, int dimension) {
  return dimension == 2 ? fmt::format("({:.6g}, {:.6g})", x[0], x[1])
                        : fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]);
}

// Returns the names of up to three blocks that are near a place.
std::string blocks_near(const MacroMesh& macro, const Place3& x) {
  std::vector<std::string> names;
  for (const MacroMesh::Block& block : macro.blocks) {
    Place3 lower, upper;
    lower.fill(1e300);
    upper.fill(-1e300);
    double size = 0;
    for (std::size_t c = 0; c < macro.corners(); ++c)
      for (std::size_t d = 0; d < 3; ++d) {
        const double v = macro.vertices[static_cast<std::size_t>(block.corners[c])][d];
        lower[d] = std::min(lower[d], v);
        upper[d] = std::max(upper[d], v);
      }
    for (std::size_t d = 0; d < 3; ++d) size = std::max(size, upper[d] - lower[d]);
    bool near = true;
    for (std::size_t d = 0; d < 3; ++d) near = near && x[d] > lower[d] - 1e-6 * size && x[d] < upper[d] + 1e-6 * size;
    if (near && names.size() < 3) names.push_back(block.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Refuses edges without length.
void check_edges(const MacroMesh& macro) {
  for (const MacroMesh::Block& block : macro.blocks) {
    double longest = 0, shortest = std::numeric_limits<double>::infinity();
    std::array<int, 2> edge{};
    for (std::size_t c = 0; c < macro.corners(); ++c)
      for (std::size_t d = 0; d < static_cast<std::size_t>(macro.dimension); ++d) {
        const int from = block.corners[c], to = block.corners[c | std::size_t{1} << d];
        if (from == to) continue;
        const auto &x = macro.vertices[static_cast<std::size_t>(from)],
                   &y = macro.vertices[static_cast<std::size_t>(to)];
        const double length = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
        longest = std::max(longest, length);
        if (length < shortest) edge = {from, to};
        shortest = std::min(shortest, length);
      }
    if (shortest <= 1e-10 * longest && longest < 1e100)
      throw InputError(fmt::format("the edge {}-{} of {} has no length: both vertices lie at {}; move one of them",
                                   edge[0], edge[1], block.name,
                                   at_text(macro.vertices[static_cast<std::size_t>(edge[0])], macro.dimension)));
  }
}

// Returns the length of the shortest edge at each vertex; infinite at vertices of no block.
std::vector<double> shortest_edges(const MacroMesh& macro) {
  std::vector<double> shortest(macro.vertices.size(), std::numeric_limits<double>::infinity());
  for (const MacroMesh::Block& block : macro.blocks)
    for (std::size_t c = 0; c < macro.corners(); ++c)
      for (std::size_t d = 1; d < macro.corners(); d *= 2) {
        const auto v = static_cast<std::size_t>(block.corners[c]), w = static_cast<std::size_t>(block.corners[c ^ d]);
        const Place3 &a = macro.vertices[v], &b = macro.vertices[w];
        shortest[v] = std::min(shortest[v], std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
      }
  return shortest;
}

// Returns the name of a block with this vertex.
std::string block_with(const MacroMesh& macro, std::size_t vertex) {
  const auto has = [&](const MacroMesh::Block& block) {
    const auto end = block.corners.begin() + static_cast<std::ptrdiff_t>(macro.corners());
    return std::find(block.corners.begin(), end, static_cast<int>(vertex)) != end;
  };
  return std::ranges::find_if(macro.blocks, has)->name;
}

void check_slits(const MacroMesh& macro) {
  // Vertices nearer than this part of all their edges were meant to be one.
  constexpr double narrow = 1e-3;
  const std::vector<double> shortest = shortest_edges(macro);
  double widest = 0;
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < shortest.size(); ++v)
    if (std::isfinite(shortest[v])) {
      order.push_back(v);
      widest = std::max(widest, narrow * shortest[v]);
    }
  std::ranges::sort(order, {}, [&](std::size_t v) { return macro.vertices[v][0]; });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Place3 &a = macro.vertices[order[i]], &b = macro.vertices[order[j]];
      if (b[0] - a[0] > widest) break;
      const double apart = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      if (apart < narrow * std::min(shortest[order[i]], shortest[order[j]]))
        throw InputError(fmt::format(
            "the vertices {} and {} at {} are {:.3g} apart, so that {} and {} leave a gap; use one vertex for both, or "
            "move them apart by at least 0.001 of their edges",
            std::min(order[i], order[j]), std::max(order[i], order[j]), at_text(a, macro.dimension), apart,
            block_with(macro, std::min(order[i], order[j])), block_with(macro, std::max(order[i], order[j]))));
    }
}

}  // namespace

MacroMesh macro_mesh_of(const Mesh& mesh) {
  MacroMesh macro;
  macro.dimension = mesh.dimension;
  macro.vertices.assign(mesh.points.begin(), mesh.points.end());
  const CellShape wanted = mesh.dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron;
  for (const MeshCells& cells : mesh.cells) {
    const ShapeFacts& facts = facts_of(cells.shape);
    if (facts.dimension != mesh.dimension || cells.count() == 0) continue;
    if (cells.shape != wanted)
      throw InputError(
          fmt::format("{} has {} {}, but blocks are {}; mesh with {} alone (in Gmsh: transfinite and "
                      "Recombine), or write grid: {{type: unstructured}}",
                      mesh.source, cells.count(), facts.name, facts_of(wanted).name, facts_of(wanted).name));
    for (std::int64_t e = 0; e < cells.count(); ++e) {
      MacroMesh::Block& block = macro.blocks.emplace_back();
      for (std::size_t c = 0; c < macro.corners(); ++c) block.corners[c] = cells.of(e)[order[c]];
      block.name = fmt::format("element {} of {}", e + 1, mesh.source);
    }
  }
  return macro;
}

std::vector<BlockPatch> patches_of(const Mesh& mesh, const MacroTopology& topology) {
  std::vector<BlockPatch> patches;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    const MeshGroup& group = mesh.groups[g];
    if (group.dimension < mesh.dimension - 1) continue;
    if (group.key() == unnamed_patch)
      throw InputError(fmt::format("{}: a group has the name {}, which means all sides in no group; rename it",
                                   mesh.source, unnamed_patch));
    BlockPatch patch{group.key(), {}};
    for (const MeshCells& cells : mesh.cells) {
      if (facts_of(cells.shape).dimension != group.dimension) continue;
      for (std::int64_t e = 0; e < cells.count(); ++e) {
        if (!mesh.has(cells.label[static_cast<std::size_t>(e)], static_cast<int>(g))) continue;
        const auto corners = cells.of(e);
        const int part =
            group.dimension == mesh.dimension ? static_cast<int>(e) : topology.find({corners.begin(), corners.end()});
        if (part < 0)
          throw InputError(
              fmt::format("{}: a side of the group {} at {} is no side of a block; mesh sides and blocks "
                          "together",
                          mesh.source, group.key(), at_text(centre_of(mesh, corners), mesh.dimension)));
        patch.parts.push_back(part);
      }
    }
    if (!patch.parts.empty()) patches.push_back(std::move(patch));
  }
  return patches;
}

std::map<int, Curve> curves_of(const Mesh& mesh, const MacroTopology& topology) {
  std::map<int, Curve> curves;
  std::map<int, Place3> middles;
  for (const auto& [from, to, middle] : mesh.middles) {
    const int part = topology.find({from, to});
    if (part < 0) continue;
    const auto& at = [&](int point) { return mesh.points[static_cast<std::size_t>(point)]; };
    const Place3 a = at(from), b = at(to), m = at(middle);
    const double bend = std::hypot((a[0] + b[0]) / 2 - m[0], (a[1] + b[1]) / 2 - m[1], (a[2] + b[2]) / 2 - m[2]),
                 length = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    const auto [known, fresh] = middles.emplace(part, m);
    const Place3& other = known->second;
    if (std::hypot(m[0] - other[0], m[1] - other[1], m[2] - other[2]) > 1e-6 * length)
      throw InputError(
          fmt::format("{}: two elements of second order bend their common edge from {} to {} through "
                      "different middles, {} and {}; mesh them together",
                      mesh.source, at_text(a, mesh.dimension), at_text(b, mesh.dimension),
                      at_text(other, mesh.dimension), at_text(m, mesh.dimension)));
    if (!fresh || bend <= 1e-12 * length) continue;
    const bool along = topology.parts()[static_cast<std::size_t>(part)].corners[0] == from;
    curves[part] = along ? parabola_through(a, m, b) : parabola_through(b, m, a);
  }
  return curves;
}

Mesh mesh_of_blocks(const MacroMesh& macro) {
  Mesh mesh;
  mesh.dimension = macro.dimension;
  mesh.source = "blocks";
  mesh.points.assign(macro.vertices.begin(), macro.vertices.end());
  MeshCells& cells = mesh.of_shape(macro.dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron);
  for (const MacroMesh::Block& block : macro.blocks) {
    for (std::size_t c = 0; c < macro.corners(); ++c) cells.corners.push_back(block.corners[order[c]]);
    cells.label.push_back(0);
  }
  return mesh;
}

void check_joints(const MacroMesh& macro) {
  check_edges(macro);
  Mesh mesh = mesh_of_blocks(macro);
  const MeshFaults faults = check_mesh(mesh);
  if (faults.coincident.count > 0)
    throw InputError(fmt::format("two vertices lie at {}, so that {} do not touch there; use one vertex for both",
                                 at_text(faults.coincident.first, macro.dimension),
                                 blocks_near(macro, faults.coincident.first)));
  if (faults.hanging.count > 0)
    throw InputError(
        fmt::format("the vertex at {} lies inside a side of a block, so that {} leave a gap; divide the "
                    "larger block there",
                    at_text(faults.hanging.first, macro.dimension), blocks_near(macro, faults.hanging.first)));
  check_slits(macro);
}

std::vector<std::string> describe_blocks(const BlockMesh& mesh, const CellShapes& shapes) {
  const MacroTopology& topology = mesh.numbers->topology();
  std::vector<std::string> lines;
  double sharpest = 90;
  for (const CellShapes::OfBlock& block : shapes.blocks) sharpest = std::min(sharpest, block.sharpest);
  lines.push_back(
      fmt::format("blocks    {} blocks, {} cells, {} nodes; cells are stretched up to {:.3g}:1, angles are "
                  "at least {:.3g}°",
                  topology.blocks(), mesh.first_cell.back(), mesh.numbers->count(), shapes.stretch(), sharpest));
  constexpr int most = 40;
  for (int b = 0; b < std::min(topology.blocks(), most); ++b) {
    const std::array<int, 3> n = mesh.numbers->cells_of(b);
    const CellShapes::OfBlock& shape = shapes.blocks[static_cast<std::size_t>(b)];
    lines.push_back(fmt::format("          {}: {} x {}{} cells, stretched up to {:.3g}:1",
                                topology.mesh().blocks[static_cast<std::size_t>(b)].name, n[0], n[1],
                                topology.dimension() == 3 ? fmt::format(" x {}", n[2]) : "", shape.stretch));
  }
  if (topology.blocks() > most) lines.push_back(fmt::format("          and {} more", topology.blocks() - most));
  return lines;
}

namespace {

// Describes the worst blocks, and counts the others. `badness` of a block is 0 if it is good.
template <class Badness, class Describe>
void warn_of_worst(std::size_t blocks, const std::string& fault, const Badness& badness, const Describe& describe,
                   std::vector<std::string>& warnings) {
  constexpr std::size_t most = 5;
  std::vector<std::size_t> bad;
  for (std::size_t b = 0; b < blocks; ++b)
    if (badness(b) > 0) bad.push_back(b);
  const std::size_t all = bad.size();
  if (all > most) {
    std::ranges::stable_sort(bad, std::ranges::greater{}, badness);
    bad.resize(most);
    std::ranges::sort(bad);
  }
  for (const std::size_t b : bad) warnings.push_back(describe(b));
  if (all > most) warnings.push_back(fmt::format("{} more blocks have {}; these are the worst", all - most, fault));
}

}  // namespace

std::vector<std::string> warn_of_cells(const BlockMesh& mesh, const CellShapes& shapes) {
  constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
  constexpr double sharp = 30;
  const MacroTopology& topology = mesh.numbers->topology();
  std::vector<std::string> warnings;
  warn_of_worst(
      shapes.blocks.size(), "needles",
      [&](std::size_t b) { return shapes.blocks[b].needles > 0 ? shapes.blocks[b].needle_ratio : 0; },
      [&](std::size_t b) {
        const CellShapes::OfBlock& shape = shapes.blocks[b];
        const std::string_view along = names[static_cast<std::size_t>(shape.needle_axes[0])];
        return fmt::format(
            "{}: {} of {} cells are needles, which need more iterations: the one at {} is {:.3g} times as long along "
            "{} as along {}; use about {:.2g} times as many cells along {}",
            topology.mesh().blocks[b].name, shape.needles, mesh.first_cell[b + 1] - mesh.first_cell[b],
            at_text(shape.needle, topology.dimension()), shape.needle_ratio, along,
            names[static_cast<std::size_t>(shape.needle_axes[1])], shape.needle_ratio / 3, along);
      },
      warnings);
  warn_of_worst(
      shapes.blocks.size(), fmt::format("angles below {:.3g}°", sharp),
      [&](std::size_t b) { return std::max(0.0, sharp - shapes.blocks[b].sharpest); },
      [&](std::size_t b) {
        return fmt::format(
            "{}: an angle between its axes is {:.3g}°, and below {:.3g}° iterations grow; move its vertices",
            topology.mesh().blocks[b].name, shapes.blocks[b].sharpest, sharp);
      },
      warnings);
  return warnings;
}

}  // namespace poisson
