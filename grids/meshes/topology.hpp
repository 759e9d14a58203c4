#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Numbers the elements of a mesh's own dimension, shape by shape, and lists the elements at each point. The mesh must
/// outlive it.
class Topology {
 public:
  explicit Topology(const Mesh& mesh);

  struct Cell {
    CellShape shape = CellShape::tetrahedron;
    std::span<const int> corners;
    int label = 0;
  };
  const Mesh& mesh() const { return mesh_; }
  std::int64_t cells() const { return first_.back(); }
  Cell cell(std::int64_t number) const {
    std::size_t b = 0;
    while (number >= first_[b + 1]) ++b;
    const MeshCells& block = *blocks_[b];
    return {block.shape, block.of(number - first_[b]), block.label[static_cast<std::size_t>(number - first_[b])]};
  }
  /// Returns the numbers of the elements at a point, in rising order.
  std::span<const int> at(std::int64_t point) const {
    const auto p = static_cast<std::size_t>(point);
    return {incident_.data() + start_[p], static_cast<std::size_t>(start_[p + 1] - start_[p])};
  }
  /// Returns the blocks of the mesh's own dimension and the number of the first element of each, and of all elements.
  const std::vector<const MeshCells*>& blocks() const { return blocks_; }
  const std::vector<std::int64_t>& first() const { return first_; }

 private:
  const Mesh& mesh_;
  std::vector<const MeshCells*> blocks_;
  std::vector<std::int64_t> first_;
  UnsetVector<std::int64_t> start_;
  UnsetVector<int> incident_;
};

/// Is a side of an element: its corners, of which unused ones are −1, and the element.
struct Facet {
  CellShape shape = CellShape::triangle;
  std::array<int, 4> corners{-1, -1, -1, -1};
  int cell = -1;

  std::span<const int> used() const { return {corners.data(), static_cast<std::size_t>(facts_of(shape).corners)}; }
};
/// Returns corners in rising order, to compare elements.
std::array<int, 4> sorted(const std::array<int, 4>& corners);

/// Lists the sides that belong to one element only: the boundary. `crowded` counts sides of more than two elements.
std::vector<Facet> outer_facets(const Topology& topology, std::int64_t* crowded = nullptr);

/// Counts what is wrong with a mesh. The first place of each kind is the centre of an element or a point.
struct MeshFault {
  std::int64_t count = 0;
  std::array<double, 3> first{};
};
struct MeshFaults {
  MeshFault inverted;    ///< elements whose corners are numbered the other way round; they are computed as usual
  MeshFault degenerate;  ///< elements without area or volume, which are left out
  MeshFault collapsed;   ///< elements that repeat corners and are computed as simpler shapes
  MeshFault duplicate;   ///< elements with the corners of another one, whose groups join
  MeshFault crossed;     ///< elements that overlap themselves: no solution is possible
  MeshFault hanging;     ///< points inside a side of an element
  MeshFault coincident;  ///< pairs of points of the boundary at the same place
};

/// Finds faults and removes duplicate and degenerate elements.
MeshFaults check_mesh(Mesh& mesh);

}  // namespace poisson
