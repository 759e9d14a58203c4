// This file joins periodic sides of blocks.

#include <algorithm>
#include <cmath>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_mesh_steps.hpp"
#include "grids/meshes/place_text.hpp"

namespace poisson {
namespace {

// Returns the corners of a side.
std::vector<int> corners_of(const MacroTopology& topology, int side) {
  const MacroPart& part = topology.parts()[static_cast<std::size_t>(side)];
  return {part.corners.begin(), part.corners.begin() + (1 << part.dimension)};
}

Place3 mean_of(const MacroTopology& topology, const std::vector<int>& vertices) {
  Place3 mean{};
  for (const int v : vertices)
    for (std::size_t d = 0; d < 3; ++d)
      mean[d] += topology.mesh().vertices[static_cast<std::size_t>(v)][d] / static_cast<double>(vertices.size());
  return mean;
}

double distance(const Place3& a, const Place3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Maps the vertices of a side to those that lie `shift` before them; nothing if some do not.
PeriodicFace partners(const MacroTopology& topology, const std::vector<int>& side, const std::vector<int>& other,
                      const Place3& shift, double tolerance) {
  PeriodicFace face;
  const auto& x = topology.mesh().vertices;
  for (const int v : side)
    for (const int w : other) {
      Place3 moved = x[static_cast<std::size_t>(w)];
      for (std::size_t d = 0; d < 3; ++d) moved[d] += shift[d];
      if (distance(moved, x[static_cast<std::size_t>(v)]) < tolerance) face[v] = w;
    }
  return face.size() == side.size() ? face : PeriodicFace{};
}

// Refuses sides between two blocks, and blocks.
void check_boundary(const MacroTopology& topology, int side, const std::string& patch) {
  const MacroPart& part = topology.parts()[static_cast<std::size_t>(side)];
  if (part.dimension + 1 != topology.dimension())
    throw InputError(patch + " is a material, but periodic patches are sides; name patches of the boundary");
  if (part.blocks.size() == 1) return;
  const auto name = [&](std::size_t b) {
    return topology.mesh().blocks[static_cast<std::size_t>(part.blocks[b])].name;
  };
  throw InputError(topology.describe(side) + " of the periodic patch " + patch + " lies between " + name(0) + " and " +
                   name(1) + "; name sides of the boundary");
}

}  // namespace

std::shared_ptr<const MacroTopology> join_periodic(
    const MacroTopology& topology, const std::vector<std::pair<const BlockPatch*, const BlockPatch*>>& pairs) {
  std::vector<PeriodicFace> faces;
  for (const auto& [first, second] : pairs) {
    if (first->parts.size() != second->parts.size())
      throw InputError("the periodic patches " + first->name + " and " + second->name + " have " +
                       std::to_string(first->parts.size()) + " and " + std::to_string(second->parts.size()) +
                       " sides; give both the same number");
    Place3 from{}, to{};
    const auto add = [&](const BlockPatch& patch, Place3& sum) {
      for (const int side : patch.parts) {
        check_boundary(topology, side, patch.name);
        const Place3 mean = mean_of(topology, corners_of(topology, side));
        for (std::size_t d = 0; d < 3; ++d) sum[d] += mean[d] / static_cast<double>(patch.parts.size());
      }
    };
    add(*first, from);
    add(*second, to);
    const Place3 shift{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double tolerance = 1e-6 * distance(from, to);
    for (const int side : second->parts) {
      PeriodicFace found;
      for (const int other : first->parts)
        if (found.empty())
          found = partners(topology, corners_of(topology, side), corners_of(topology, other), shift, tolerance);
      if (found.empty())
        throw InputError(topology.describe(side) + " of the periodic patch " + second->name + " has no partner in " +
                         first->name + " at the distance " + place_text(shift, topology.dimension()) +
                         "; both patches must be equal but for a shift");
      faces.push_back(std::move(found));
    }
  }
  return std::make_shared<const MacroTopology>(topology.mesh(), std::move(faces));
}

void join_nodes(const BlockGeometry& geometry, BlockMesh& mesh) {
  const MacroTopology &apart = *geometry.topology, &joined = *geometry.joined;
  std::vector<int> cells(joined.classes().size(), 0);
  for (int b = 0; b < apart.blocks(); ++b)
    for (std::size_t d = 0; d < static_cast<std::size_t>(apart.dimension()); ++d)
      cells[static_cast<std::size_t>(joined.edge_class(b, d))] =
          geometry.cells[static_cast<std::size_t>(apart.edge_class(b, d))];
  mesh.nodes = std::make_shared<const BlockNumbers>(geometry.joined, std::move(cells));
  mesh.node_of_point.assign(static_cast<std::size_t>(mesh.numbers->count()), -1);
  for (int b = 0; b < apart.blocks(); ++b) {
    const std::array<int, 3> n = mesh.numbers->cells_of(b);
    for (int k = 0; k <= n[2]; ++k)
      for (int j = 0; j <= n[1]; ++j)
        for (int i = 0; i <= n[0]; ++i)
          mesh.node_of_point[static_cast<std::size_t>(mesh.numbers->number(b, {i, j, k}))] =
              static_cast<int>(mesh.nodes->number(b, {i, j, k}));
  }
}

void check_joined(const BlockMesh& mesh) {
  if (mesh.node_of_point.empty()) return;
  const MacroTopology& topology = mesh.numbers->topology();
  const std::vector<int> of_node = mesh.point_of_node();
  const auto& x = mesh.mesh->points;
  const auto apart = [&](std::size_t p) {
    const Place3& other = x[static_cast<std::size_t>(of_node[static_cast<std::size_t>(mesh.node_of_point[p])])];
    return Place3{x[p][0] - other[0], x[p][1] - other[1], x[p][2] - other[2]};
  };
  // Shifts of vertices are those of all nodes.
  std::vector<Place3> shifts{{}};
  double size = 0;
  const auto known = [&](const Place3& shift) {
    return std::ranges::any_of(shifts, [&](const Place3& s) {
      return std::min(distance(s, shift), distance(s, {-shift[0], -shift[1], -shift[2]})) <= 1e-6 * size;
    });
  };
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    if (topology.parts()[p].dimension > 0) continue;
    const Place3 shift = apart(static_cast<std::size_t>(mesh.numbers->first(static_cast<int>(p))));
    size = std::max(size, distance(shift, {}));
    if (!known(shift)) shifts.push_back(shift);
  }
  // Sums and differences occur where several pairs meet.
  for (std::size_t s = shifts.size(), a = 1; a < s; ++a)
    for (std::size_t b = a + 1; b < s; ++b)
      for (const double sign : {1.0, -1.0})
        shifts.push_back({shifts[a][0] + sign * shifts[b][0], shifts[a][1] + sign * shifts[b][1],
                          shifts[a][2] + sign * shifts[b][2]});
  for (std::size_t p = 0; p < mesh.node_of_point.size(); ++p)
    if (!known(apart(p)))
      throw InputError("periodic sides differ at " + place_text(x[p], topology.dimension()) +
                       "; both must be equal but for a shift: give both the same curves");
}

std::vector<int> BlockMesh::point_of_node() const {
  if (node_of_point.empty()) return {};
  std::vector<int> points(static_cast<std::size_t>(nodes->count()), -1);
  for (std::size_t p = 0; p < node_of_point.size(); ++p)
    points[static_cast<std::size_t>(node_of_point[p])] = static_cast<int>(p);
  return points;
}

std::vector<double> BlockMesh::on_nodes(const std::vector<double>& values) const {
  if (node_of_point.empty() || values.empty()) return values;
  std::vector<double> moved(static_cast<std::size_t>(nodes->count()));
  for (std::size_t p = 0; p < node_of_point.size(); ++p) moved[static_cast<std::size_t>(node_of_point[p])] = values[p];
  return moved;
}

std::vector<double> BlockMesh::at_points(const std::vector<double>& values) const {
  if (node_of_point.empty()) return values;
  std::vector<double> moved(node_of_point.size());
  for (std::size_t p = 0; p < moved.size(); ++p) moved[p] = values[static_cast<std::size_t>(node_of_point[p])];
  return moved;
}

void hold_images(const BlockMesh& mesh, std::vector<int>& holder, std::vector<double>& held) {
  if (mesh.node_of_point.empty()) return;
  std::vector<int> of_node(static_cast<std::size_t>(mesh.nodes->count()), -1);  // a point that is held
  const auto known = [&](std::size_t point) -> int& {
    return of_node[static_cast<std::size_t>(mesh.node_of_point[point])];
  };
  for (std::size_t p = 0; p < holder.size(); ++p)
    if (holder[p] >= 0 && known(p) < 0) known(p) = static_cast<int>(p);
  for (std::size_t p = 0; p < holder.size(); ++p) {
    if (known(p) < 0) continue;
    if (holder[p] < 0) holder[p] = holder[static_cast<std::size_t>(known(p))];
    held[p] = held[static_cast<std::size_t>(known(p))];
  }
}

}  // namespace poisson
