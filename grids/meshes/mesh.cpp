#include "grids/meshes/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/memory/error.hpp"
#include "grids/meshes/element_rules.hpp"

namespace poisson {
namespace {

using Side = std::array<int, 4>;
constexpr Side of_line[] = {{0, -1, -1, -1}, {1, -1, -1, -1}};
constexpr Side of_triangle[] = {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 0, -1, -1}};
constexpr Side of_quadrilateral[] = {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 3, -1, -1}, {3, 0, -1, -1}};
constexpr Side of_tetrahedron[] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}};
constexpr Side of_pyramid[] = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}};
constexpr Side of_prism[] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
constexpr Side of_hexahedron[] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

constexpr std::array<ShapeFacts, shape_count> shapes{{{"vertices", 0, 1, 1},
                                                      {"lines", 1, 2, 3, of_line},
                                                      {"triangles", 2, 3, 5, of_triangle},
                                                      {"quadrilaterals", 2, 4, 9, of_quadrilateral},
                                                      {"tetrahedra", 3, 4, 10, of_tetrahedron},
                                                      {"pyramids", 3, 5, 14, of_pyramid},
                                                      {"prisms", 3, 6, 13, of_prism},
                                                      {"hexahedra", 3, 8, 12, of_hexahedron}}};

}  // namespace

const ShapeFacts& facts_of(CellShape shape) {
  return shapes[static_cast<std::size_t>(shape)];
}

const MeshCells* Mesh::find(CellShape shape) const {
  const auto found = std::ranges::find(cells, shape, &MeshCells::shape);
  return found == cells.end() ? nullptr : &*found;
}

MeshCells& Mesh::of_shape(CellShape shape) {
  const auto at = std::ranges::lower_bound(cells, shape, {}, &MeshCells::shape);
  if (at != cells.end() && at->shape == shape) return *at;
  return *cells.insert(at, MeshCells{shape, {}, {}});
}

std::int64_t Mesh::count(int of_dimension) const {
  std::int64_t sum = 0;
  for (const MeshCells& block : cells)
    if (facts_of(block.shape).dimension == of_dimension) sum += block.count();
  return sum;
}

bool Mesh::has(int label, int group) const {
  return std::ranges::find(labels[static_cast<std::size_t>(label)], group) !=
         labels[static_cast<std::size_t>(label)].end();
}

std::array<double, 3> centre_of(const Mesh& mesh, std::span<const int> corners) {
  std::array<double, 3> sum{};
  for (const int p : corners)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += mesh.points[static_cast<std::size_t>(p)][d];
  for (double& x : sum) x /= static_cast<double>(corners.size());
  return sum;
}

namespace {

std::vector<GroupMeasure> empty_measures(const Mesh& mesh) {
  std::vector<GroupMeasure> all(mesh.groups.size());
  constexpr double most = std::numeric_limits<double>::max();
  for (GroupMeasure& group : all) {
    group.lower.fill(most);
    group.upper.fill(-most);
  }
  return all;
}

// Adds the elements first … last − 1 of a shape to the measures of their groups.
void measure_elements(const Mesh& mesh, const MeshCells& block, std::int64_t first, std::int64_t last,
                      std::vector<GroupMeasure>& all) {
  for (std::int64_t e = first; e < last; ++e) {
    const std::vector<int>& groups = mesh.labels[static_cast<std::size_t>(block.label[static_cast<std::size_t>(e)])];
    if (groups.empty()) continue;
    const double size = facts_of(block.shape).dimension == 0 ? 0 : measure_of(mesh, block.shape, block.of(e));
    for (const int g : groups) {
      GroupMeasure& group = all[static_cast<std::size_t>(g)];
      ++group.elements;
      group.measure += size;
      for (const int p : block.of(e))
        for (std::size_t d = 0; d < 3; ++d) {
          group.lower[d] = std::min(group.lower[d], mesh.points[static_cast<std::size_t>(p)][d]);
          group.upper[d] = std::max(group.upper[d], mesh.points[static_cast<std::size_t>(p)][d]);
        }
    }
  }
}

}  // namespace

std::vector<GroupMeasure> measure_groups(const Mesh& mesh) {
  std::vector<GroupMeasure> all = empty_measures(mesh);
  for (const MeshCells& block : mesh.cells) {
    // The sums of these parts are added in order, so that bits do not depend on threads.
    constexpr std::int64_t most_parts = 64, least = 4096;
    const std::int64_t size = std::max(least, (block.count() + most_parts - 1) / most_parts),
                       count = (block.count() + size - 1) / size;
    std::vector<std::vector<GroupMeasure>> parts(static_cast<std::size_t>(count), empty_measures(mesh));
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
    for (std::int64_t p = 0; p < count; ++p)
      measure_elements(mesh, block, p * size, std::min(block.count(), (p + 1) * size),
                       parts[static_cast<std::size_t>(p)]);
    for (const std::vector<GroupMeasure>& part : parts)
      for (std::size_t g = 0; g < all.size(); ++g) {
        all[g].elements += part[g].elements;
        all[g].measure += part[g].measure;
        for (std::size_t d = 0; d < 3; ++d) {
          all[g].lower[d] = std::min(all[g].lower[d], part[g].lower[d]);
          all[g].upper[d] = std::max(all[g].upper[d], part[g].upper[d]);
        }
      }
  }
  return all;
}

void finish_mesh(Mesh& mesh, double scale) {
  mesh.dimension = mesh.count(3) > 0 ? 3 : 2;
  if (mesh.count(mesh.dimension) == 0)
    throw InputError(mesh.source + " has no triangles, quadrilaterals or elements in space (" +
                     std::to_string(mesh.count(1)) + " lines, " + std::to_string(mesh.count(0)) +
                     " vertices); mesh the surface or the volume, and in Gmsh save elements of all physical groups");
  if (scale != 1)
    for (auto& point : mesh.points)
      for (double& x : point) x *= scale;
  // Beyond, volumes leave the range of numbers.
  constexpr double most = 1e90;
  for (const auto& point : mesh.points)
    for (const double x : point)
      if (!std::isfinite(x))
        throw InputError(mesh.source + " has a coordinate that is not finite after grid.scale: choose another scale");
      else if (std::abs(x) > most)
        throw InputError(mesh.source + " has a coordinate of 10^" +
                         std::to_string(static_cast<int>(std::log10(std::abs(x)))) +
                         " or more; the limit is 10^90: check the coordinates and grid.scale");
  if (mesh.dimension == 3) return;
  double lower = std::numeric_limits<double>::max(), upper = -lower, size = 0;
  for (const MeshCells& block : mesh.cells)
    for (const int p : block.corners) {
      const auto& point = mesh.points[static_cast<std::size_t>(p)];
      lower = std::min(lower, point[2]);
      upper = std::max(upper, point[2]);
      size = std::max({size, std::abs(point[0]), std::abs(point[1])});
    }
  if (upper - lower > 1e-9 * size)
    throw InputError(mesh.source + " is a surface in space: its elements reach from z = " + std::to_string(lower) +
                     " to " + std::to_string(upper) + "; give a mesh in a plane of constant z, or mesh the volume");
}

}  // namespace poisson
