#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grids/surfaces/triangles.hpp"

namespace poisson {

class TriangleTree;

/// Is the use of an edge by a triangle. `forward`: the triangle runs from the lower to the higher number of the points.
struct EdgeUse {
  std::uint32_t low = 0, high = 0, face = 0;
  bool forward = false;
  bool same_edge(const EdgeUse& other) const { return low == other.low && high == other.high; }
};

/// Returns the edges of all triangles, sorted so that the uses of an edge are adjacent.
std::vector<EdgeUse> edges_of(const std::vector<Triangle>& faces);

/// Calls f(uses) for each edge.
template <class Uses, class F>
void for_each_edge(Uses& edges, const F& f) {
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    while (last < edges.size() && edges[last].same_edge(edges[first])) ++last;
    f(std::span(edges).subspan(first, last - first));
  }
}

/// Merges points with equal coordinates, and returns the number of triangles with two equal corners, which are removed.
std::size_t merge_points(Triangles& triangles);

/// Removes triangles that repeat another one, and returns their number. Two triangles with opposite orientation are
/// both removed if they separate two bodies, so that the bodies become one.
std::size_t remove_duplicates(std::vector<Triangle>& faces);

/// Joins corners on open edges whose distance is a rounding error of the file, and returns their number. `edges` are
/// those of the triangles.
std::size_t join_open_corners(Triangles& triangles, const std::vector<EdgeUse>& edges, const Bounds& bounds);

/// Returns whether most rays along the normals of a part's triangles cross the others an odd number of times. `tree`
/// has all triangles.
bool faces_inwards(const Triangles& triangles, const TriangleTree& tree, std::span<const std::uint32_t> faces);

/// Orients triangles outwards as close_surface states, and counts those that were turned. `edges` are those of the
/// triangles, before and afterwards.
void orient(Triangles& triangles, std::vector<EdgeUse>& edges, SurfaceReport& report);

}  // namespace poisson
