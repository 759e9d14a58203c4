// This file replaces elements that repeat corners by the simpler shapes that they are.

#include "grids/meshes/collapse.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace poisson {
namespace {

struct Element {
  CellShape shape = CellShape::vertex;
  std::vector<int> corners;
};

bool repeats(std::span<const int> corners) {
  for (std::size_t a = 0; a < corners.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (corners[a] == corners[b]) return true;
  return false;
}

// Returns the corners of a closed polygon without repetitions of a neighbour.
std::vector<int> without_repeats(std::vector<int> polygon) {
  polygon.erase(std::unique(polygon.begin(), polygon.end()), polygon.end());
  while (polygon.size() > 1 && polygon.front() == polygon.back()) polygon.pop_back();
  return polygon;
}

std::vector<std::vector<int>> sides_of(CellShape shape, std::span<const int> corners) {
  std::vector<std::vector<int>> sides;
  for (const auto& face : facts_of(shape).faces) {
    std::vector<int> side;
    for (const int c : face)
      if (c >= 0) side.push_back(corners[static_cast<std::size_t>(c)]);
    side = without_repeats(side);
    if (side.size() > 2) sides.push_back(std::move(side));
  }
  return sides;
}

// Returns the neighbour of a corner in a side that does not belong to a triangle; −1: none.
int partner(const std::vector<std::vector<int>>& sides, const std::vector<int>& triangle, int corner) {
  for (const std::vector<int>& side : sides) {
    const auto at = std::ranges::find(side, corner);
    if (side.size() != 4 || at == side.end()) continue;
    const auto k = static_cast<std::size_t>(at - side.begin());
    for (const int other : {side[(k + 1) % 4], side[(k + 3) % 4]})
      if (std::ranges::find(triangle, other) == triangle.end()) return other;
  }
  return -1;
}

// Returns the element that an element of space with repeated corners is: a tetrahedron, pyramid or prism.
std::optional<Element> in_space(CellShape shape, std::span<const int> corners) {
  std::vector<int> points(corners.begin(), corners.end());
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const std::vector<std::vector<int>> sides = sides_of(shape, corners);
  std::vector<std::vector<int>> triangles, quadrilaterals;
  for (const std::vector<int>& side : sides) {
    if (repeats(side)) return {};
    (side.size() == 3 ? triangles : quadrilaterals).push_back(side);
  }
  const auto apex = [&](const std::vector<int>& base) {
    return *std::ranges::find_if(points, [&](int p) { return std::ranges::find(base, p) == base.end(); });
  };
  if (points.size() == 4 && triangles.size() == 4 && quadrilaterals.empty()) {
    const std::vector<int>& t = triangles[0];
    return Element{CellShape::tetrahedron, {t[0], t[2], t[1], apex(t)}};
  }
  if (points.size() == 5 && triangles.size() == 4 && quadrilaterals.size() == 1) {
    const std::vector<int>& q = quadrilaterals[0];
    return Element{CellShape::pyramid, {q[0], q[3], q[2], q[1], apex(q)}};
  }
  if (points.size() == 6 && triangles.size() == 2 && quadrilaterals.size() == 3) {
    const std::vector<int>& t = triangles[0];
    Element prism{CellShape::prism, {t[0], t[2], t[1]}};
    for (const int c : {t[0], t[2], t[1]}) prism.corners.push_back(partner(sides, t, c));
    if (std::ranges::find(prism.corners, -1) != prism.corners.end() || repeats(prism.corners)) return {};
    return prism;
  }
  return {};
}

std::optional<Element> simplified(CellShape shape, std::span<const int> corners) {
  if (facts_of(shape).dimension == 3) return in_space(shape, corners);
  const std::vector<int> polygon = without_repeats({corners.begin(), corners.end()});
  if (shape != CellShape::quadrilateral || polygon.size() != 3 || repeats(polygon)) return {};
  return Element{CellShape::triangle, polygon};
}

}  // namespace

void collapse_elements(Mesh& mesh, MeshFault& collapsed, MeshFault& degenerate) {
  std::vector<std::pair<Element, int>> added;
  for (MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension == 0) continue;
    std::vector<bool> kept;
    for (std::int64_t e = 0; e < block.count(); ++e) {
      if (!repeats(block.of(e))) continue;
      if (kept.empty()) kept.assign(static_cast<std::size_t>(block.count()), true);
      kept[static_cast<std::size_t>(e)] = false;
      const auto found = simplified(block.shape, block.of(e));
      note_fault(found ? collapsed : degenerate, centre_of(mesh, block.of(e)));
      if (found) added.emplace_back(*found, block.label[static_cast<std::size_t>(e)]);
    }
    if (!kept.empty()) keep_elements(block, kept);
  }
  for (const auto& [element, label] : added) {
    MeshCells& block = mesh.of_shape(element.shape);
    block.corners.insert(block.corners.end(), element.corners.begin(), element.corners.end());
    block.label.push_back(label);
  }
}

}  // namespace poisson
