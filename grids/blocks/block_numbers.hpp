#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backends/memory/box.hpp"
#include "grids/blocks/macro_mesh.hpp"

namespace poisson {

/// Numbers the nodes of all blocks for given numbers of cells: part by part, and lexicographically within a part. Nodes
/// on interfaces have one number.
class BlockNumbers {
 public:
  /// `cells` are those of each edge class, at least 1; `finer` is the level that they are coarsened from, or null.
  BlockNumbers(std::shared_ptr<const MacroTopology> topology, std::vector<int> cells,
               const BlockNumbers* finer = nullptr);

  const MacroTopology& topology() const { return *topology_; }
  const std::shared_ptr<const MacroTopology>& shared_topology() const { return topology_; }
  const std::vector<int>& cells() const { return cells_; }
  /// Returns the cells of a block along each axis; 0 along z in the plane.
  std::array<int, 3> cells_of(int block) const;
  std::int64_t cell_count(int block) const;
  /// Returns the widths of cells along edges of this number of cells, in terms of those of the finest level
  /// (coarse_widths). Edges whose fine cells differed in number have those of the first one: any widths give a valid
  /// interpolation.
  const std::vector<double>& widths(int cells) const { return widths_.at(cells); }
  /// Returns the interior nodes of a part along its axes; 1 across it.
  std::array<int, 3> extent(int part) const;
  /// Returns the number of the first node of a part, and of all nodes.
  std::int64_t first(int part) const { return first_[static_cast<std::size_t>(part)]; }
  std::int64_t count() const { return first_.back(); }
  /// Returns the place in a block of a node: which part has it.
  int place_of(int block, const std::array<int, 3>& node) const;
  /// Returns the number of a node of a block.
  std::int64_t number(int block, const std::array<int, 3>& node) const;
  /// Returns the nodes of a place in the indices of the block.
  Box box_of(int block, int place) const;

 private:
  std::shared_ptr<const MacroTopology> topology_;
  std::vector<int> cells_;
  std::vector<std::int64_t> first_;
  std::map<int, std::vector<double>> widths_;  // by number of cells
};

}  // namespace poisson
