#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grids/problem/shapes.hpp"

namespace poisson {

/// Contains the three corners of a triangle, as numbers of points. Seen from outside they are counterclockwise.
using Triangle = std::array<std::uint32_t, 3>;

/// Is a list of triangles, as a file or a program gives them.
struct Triangles {
  std::vector<Point> points;
  std::vector<Triangle> faces;
};

/// Is the largest number of points and of triangles.
inline constexpr std::size_t most_triangles = std::size_t{1} << 30;

/// Counts what was wrong with a list of triangles, and what was done about it.
struct SurfaceReport {
  std::size_t triangles = 0;     ///< of the file
  std::size_t degenerate = 0;    ///< have two equal corners and were left out
  std::size_t joined = 0;        ///< corners on open edges that only rounding separated
  std::size_t duplicates = 0;    ///< repeat another triangle and were left out
  std::size_t flipped = 0;       ///< disagreed with their neighbours and were turned
  std::size_t inward = 0;        ///< belonged to bodies that were inside out and were turned
  std::size_t open_edges = 0;    ///< belong to a hole
  std::size_t flat_holes = 0;    ///< closed by a plane
  std::size_t curved_holes = 0;  ///< closed by the winding number
  std::size_t parts = 0;         ///< connected parts
  std::size_t apart = 0;         ///< open parts, if some of them enclose nothing alone
  double volume = 0, area = 0;   ///< with the holes closed; the area of the triangles alone

  bool good() const { return joined + degenerate + duplicates + flipped + inward + open_edges == 0; }
};

/// Is a hole that lies in no plane. Its cap is a fan of triangles about the mean of its corners.
struct Hole {
  std::size_t first = 0, last = 0;  ///< the cap's triangles
  Bounds reach;                     ///< beyond it, the solid angle of the cap is less than half of the sphere
};

/// Is a list of triangles without boundary: each edge is used as often in one direction as in the other. It has first
/// the triangles of a mesh, then caps of flat holes, then caps of other holes.
struct ClosedSurface {
  Triangles all;
  std::size_t solid = 0;  ///< number of triangles before the caps of other holes
  std::vector<Hole> holes;
  Bounds bounds;
  bool scattered = false;  ///< parts lie side by side without common edges; one hole then has the caps of all
};

/// Orients triangles outwards, leaves out duplicates and closes holes. Neighbours get the same orientation, of the
/// majority in each connected part; a part whose volume is then negative is turned with everything in it, unless it is
/// a cavity of another one. Corners on open edges that only rounding separates are joined. If open parts remain that
/// are flat, the winding number of all triangles decides: a body may consist of faces without common edges. Throws
/// InputError if no triangle is left.
ClosedSurface close_surface(Triangles triangles, SurfaceReport& report);

/// Returns the volume inside a closed list of triangles, by the divergence theorem.
double volume_of(const Triangles& triangles);

}  // namespace poisson
