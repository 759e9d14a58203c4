#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grids/blocks/block_curves.hpp"
#include "grids/blocks/block_numbers.hpp"
#include "grids/meshes/mesh.hpp"

namespace poisson {

struct MeshData;

/// Is a named set of edges in the plane, of faces in space, or of blocks (materials).
struct BlockPatch {
  std::string name;
  std::vector<int> parts;
};

/// Describes the nodes of a macro mesh.
struct BlockGeometry {
  std::shared_ptr<const MacroTopology> topology;
  std::vector<int> cells;  ///< of each edge class
  /// Fractions of the edges of each class at their nodes, from 0 to 1, in the direction of the class.
  std::vector<std::vector<double>> fractions;
  std::map<int, Curve> curves;      ///< of edges, by part, in the direction of the part; others are straight
  std::map<int, Surface> surfaces;  ///< of faces, by part
  std::vector<BlockPatch> patches;
  /// The topology in which periodic faces are one; null: there are none.
  std::shared_ptr<const MacroTopology> joined{};
};

/// Contains the nodes and cells of all blocks as a mesh, and the blocks. Points are numbered by `numbers`. Cells are
/// numbered block by block, x fastest. Sides on the boundary and in patches, and blocks, are in groups by name.
struct BlockMesh {
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<const BlockNumbers> numbers;
  std::shared_ptr<const BlockNumbers> nodes;  ///< numbers in which periodic points are one node; else `numbers`
  std::vector<std::int64_t> first_cell;       ///< of each block, and of all
  std::vector<int> node_of_point;             ///< empty if points are nodes
  /// Is a part of a block that is a block of `nodes`: its block, its first cell there, and its cells.
  struct Piece {
    int block = 0;
    std::array<int, 3> first{}, cells{};
  };
  std::vector<Piece> pieces{};  ///< of each block of `nodes`; empty: blocks are not cut

  /// Returns the piece that a block of `nodes` is.
  Piece piece(int block) const {
    return pieces.empty() ? Piece{block, {}, nodes->cells_of(block)} : pieces[static_cast<std::size_t>(block)];
  }
  /// Returns the number of a cell of a piece among all cells.
  std::int64_t cell(const Piece& piece, const std::array<int, 3>& at) const {
    const std::array<int, 3> n = numbers->cells_of(piece.block);
    return first_cell[static_cast<std::size_t>(piece.block)] + piece.first[0] + at[0] +
           std::int64_t{n[0]} * (piece.first[1] + at[1] + std::int64_t{n[1]} * (piece.first[2] + at[2]));
  }

  /// Returns the place of a node of a piece.
  const Place3& place(const Piece& piece, const std::array<int, 3>& at) const {
    const std::array<int, 3> node{piece.first[0] + at[0], piece.first[1] + at[1], piece.first[2] + at[2]};
    return mesh->points[static_cast<std::size_t>(numbers->number(piece.block, node))];
  }

  /// Convert between values of points and of nodes.
  std::vector<double> on_nodes(const std::vector<double>& at_points) const;
  std::vector<double> at_points(const std::vector<double>& on_nodes) const;
  /// Returns a point of each node; empty if points are nodes.
  std::vector<int> point_of_node() const;
};

/// Returns the topology in which the sides of the second patch of each pair are those of the first. Throws InputError
/// if a side has no partner at the same distance.
std::shared_ptr<const MacroTopology> join_periodic(
    const MacroTopology& topology, const std::vector<std::pair<const BlockPatch*, const BlockPatch*>>& pairs);

/// Constrains a point if a periodic image of it is: both are one unknown. `holder` has the condition that constrains
/// each point, or −1, and `held` its value, as in MeshData.
void hold_images(const BlockMesh& mesh, std::vector<int>& holder, std::vector<double>& held);

/// Name of the group of boundary sides that are in no patch.
inline constexpr const char* unnamed_patch = "unnamed";

/// Makes the nodes by transfinite interpolation from edges to faces and from faces to blocks (Gordon and Hall, Int. J.
/// Numer. Methods Eng. 7, 1973, 461). Throws InputError with the block and the place of an inverted cell.
BlockMesh make_block_mesh(const BlockGeometry& geometry);

/// Returns the mesh with blocks cut into pieces, so that processes can have about equal numbers of cells. Cells, points
/// and files stay the same. All blocks of an edge class are cut alike. Periodic meshes are not cut.
BlockMesh cut_for_processes(const BlockMesh& mesh, int processes);

/// Contains how much cells are stretched, and the couplings along a line relative to those across it.
struct CellStretch {
  double largest = 1;  ///< ratio of the longest to the shortest width of a cell
  /// Largest w²/(h L): h and w are the shortest and longest width of a cell and L is the length of its block across it.
  /// The couplings along a line through all of L are about this much larger than those that hold the line.
  double floating = 1;
  double sharpest = 90;  ///< least angle between two axes of a cell, in degrees
  double needle = 1;     ///< largest ratio of the length of a needle to its other widths; 1: there are none

  constexpr CellStretch(double of = 1) : largest(of), floating(of * of) {}
  constexpr operator double() const { return largest; }
};

/// Contains the shape of cells by block, at their centres.
struct CellShapes {
  struct OfBlock {
    double stretch = 1;    ///< largest ratio of the longest to the shortest width of a cell
    double floating = 1;   ///< CellStretch::floating
    double sharpest = 90;  ///< least angle between two axes, in degrees
    /// Cells with two short axes and one that is more than three times as long: lines smooth them slowly.
    std::int64_t needles = 0;
    Place3 needle{};  ///< the centre of the longest one
    double needle_ratio = 1;
    std::array<int, 3> needle_axes{};  ///< the long axis first
  };
  std::vector<OfBlock> blocks;
  CellStretch stretch() const;
};
/// Measures the cells. With data whose κ is a tensor, lengths are those of κ⁻¹: couplings depend on them as on widths
/// with κ = 1.
CellShapes measure_cells(const BlockMesh& mesh, const MeshData* data = nullptr);

/// Cells with two short axes are needles if the third one is longer than the next by this factor.
inline constexpr double needle_limit = 3;

/// Contains the classes of edges that are the long edges of needles.
struct NeedleClasses {
  std::vector<double> along;  ///< of each class: largest ratio of the length of a needle to its next width, or 1
  bool agree = true;          ///< no long edges of needles are short edges of others
};
/// Returns all nodes of each class of edges.
std::vector<std::vector<int>> all_nodes(const BlockMesh& mesh);
/// Finds the needles of a level, which has some of the nodes of the finest one: `nodes` lists those of each class.
/// Lengths are those of measure_cells.
NeedleClasses find_needles(const BlockMesh& mesh, const MeshData& data, const std::vector<std::vector<int>>& nodes);

}  // namespace poisson
