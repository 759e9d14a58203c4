#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace poisson {

/// Is a mesh of quadrilaterals or hexahedra. Each of them is refined to a block of nx × ny × nz cells.
struct MacroMesh {
  /// Corner c is at the upper end of axis d if bit d of c is set.
  struct Block {
    std::array<int, 8> corners{};
    std::string name;  ///< in messages
  };

  int dimension = 2;
  std::vector<std::array<double, 3>> vertices;
  std::vector<Block> blocks;

  std::size_t corners() const { return std::size_t{1} << dimension; }
};

/// Joins a face (in the plane an edge) to another one: each of its vertices becomes the one that follows it.
using PeriodicFace = std::map<int, int>;

/// Is an interior: that of a block, face or edge, or a vertex. Every node of the blocks belongs to one of them.
struct MacroPart {
  int dimension = 0;
  std::array<int, 8> corners{};               ///< as in MacroMesh::Block, along its own axes
  std::array<int, 3> edge_class{-1, -1, -1};  ///< of each of its axes
  std::array<bool, 3> against{};              ///< the axis runs against the direction of its class
  std::vector<int> blocks;                    ///< that contain it, in rising order; the first one owns it
};

/// Tells how a part lies in a block: axis d of the block is axis `axis[d]` of the part, backwards if `flipped[d]`.
/// Axes across the part have the numbers that are left.
struct PartInBlock {
  int part = -1;
  std::array<int, 3> axis{0, 1, 2};
  std::array<bool, 3> flipped{};
};

/// Is a class of edges that have the same number of cells, because they are opposite edges of blocks.
struct EdgeClass {
  int edge = -1;         ///< a part: the first edge of the class, which has its direction
  bool twisted = false;  ///< a strip of blocks turns one of its edges around
};

/// Lists the parts of a macro mesh, and how they lie in blocks.
class MacroTopology {
 public:
  /// Throws InputError, which names blocks and vertices, for repeated corners, faces of more than two blocks, and
  /// blocks with the same corners.
  explicit MacroTopology(const MacroMesh& mesh, std::vector<PeriodicFace> periodic = {});

  const MacroMesh& mesh() const { return mesh_; }
  int dimension() const { return mesh_.dimension; }
  int blocks() const { return static_cast<int>(mesh_.blocks.size()); }
  /// Returns all parts: the blocks, then faces, edges and vertices.
  const std::vector<MacroPart>& parts() const { return parts_; }
  const std::vector<EdgeClass>& classes() const { return classes_; }
  /// Returns the class of a block's axis.
  int edge_class(int block, std::size_t axis) const { return parts_[index(block)].edge_class[axis]; }
  bool against(int block, std::size_t axis) const { return parts_[index(block)].against[axis]; }
  /// Returns the number of places in a block: 9 or 27. Place Σ p_d 3^d is at the lower end (p = 0), in the interior (1)
  /// or at the upper end (2) of axis d.
  int places() const { return dimension() == 2 ? 9 : 27; }
  const PartInBlock& place(int block, int place) const {
    return places_[index(block) * static_cast<std::size_t>(places()) + index(place)];
  }
  static std::array<int, 3> position(int place) { return {place % 3, place / 3 % 3, place / 9}; }
  /// Returns the edge or, in space, the face with these vertices in any order; −1: none.
  int find(std::vector<int> vertices) const;
  /// Returns a part as "the edge 1-2" or "the face 0-1-2-3" of its vertices.
  std::string describe(int part) const;

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  std::array<int, 8> after_joining(std::array<int, 8> corners, int dimension) const;
  void find_parts();
  void find_classes();
  void check() const;

  MacroMesh mesh_;
  std::vector<PeriodicFace> periodic_;
  std::vector<MacroPart> parts_;
  std::vector<PartInBlock> places_;
  std::vector<EdgeClass> classes_;
  std::map<std::vector<int>, int> by_vertices_;  // edges and faces; vertices in rising order
};

}  // namespace poisson
