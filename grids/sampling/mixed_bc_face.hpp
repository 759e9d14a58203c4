#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// Describes the nodes of a face with several boundary conditions. Each part is a union of cells of the face; a cell
/// belongs to the part that contains its centre. The nodes of cells in Dirichlet parts are constrained: they remain
/// unknowns, and a penalty on their diagonal entries fixes their values (grids/schemes/constrained_nodes.hpp). The
/// areas of free nodes therefore contain only cells of other parts, and no data within them is cut off.
class MixedBcFace {
 public:
  MixedBcFace(const Problem& problem, const Block& block, int axis, int end);

  int axis() const { return axis_; }
  int end() const { return end_; }
  /// Returns the nodes of the face on this process.
  const Box& nodes() const { return nodes_; }
  /// Returns whether the face constrains a node. The node may lie outside the face.
  bool holds(int i, int j, int k) const { return contains(nodes_, {i, j, k}) && held_[number_of({i, j, k})]; }

  // These functions return values with x fastest over the nodes. They throw ValueError like sample().
  /// Returns g at constrained nodes: the mean of the values from the adjacent cells. It is 0 elsewhere.
  std::vector<double> given() const;
  /// Return the integrals of q and of the Robin g, or of α, over the areas of free nodes. They are 0 at constrained
  /// nodes.
  std::vector<double> flux_integrals() const;
  std::vector<double> alpha_integrals() const;
  /// Returns the integrals of q and g against the hat functions of free nodes, from values at the corners of cells.
  std::vector<double> flux_against_hats() const;

 private:
  struct Points;
  std::size_t number_of(const std::array<int, 3>& node) const { return number(nodes_, node); }
  int part_of(const std::array<int, 3>& cell) const { return part_[number(cells_, cell)]; }
  std::size_t number(const Box& box, const std::array<int, 3>& at) const {
    const auto [a, b] = along_;
    const std::int64_t width = box.last[a] - box.first[a];
    return static_cast<std::size_t>((at[b] - box.first[b]) * width + at[a] - box.first[a]);
  }
  const Part& side(const std::array<int, 3>& node, std::size_t axis, int above) const {
    return sides_[axis][static_cast<std::size_t>(node[axis])][static_cast<std::size_t>(above)];
  }
  template <class F>
  void for_each_cell_at(const std::array<int, 3>& node, const F& f) const;
  template <class F>
  void for_each_node_of(const std::array<int, 3>& cell, const F& f) const;
  template <class Wanted, class Collect>
  std::vector<double> summed(const Box& box, bool alpha, const Wanted& wanted, const Collect& collect) const;
  void check(const Points& points, const std::vector<double>& values, bool alpha) const;
  std::vector<double> integrals(bool alpha) const;

  Block block_;
  int axis_, end_;
  std::array<std::size_t, 2> along_;  // face axes
  Boundary face_;
  Box nodes_;
  std::array<double, 3> place_{};                          // face coordinate
  std::array<std::vector<double>, 3> at_;                  // node coordinates
  std::array<std::vector<std::array<Part, 2>>, 3> sides_;  // cover the cells below and above each node
  Box cells_;                                              // include one cell beyond the nodes on each side
  std::vector<int> part_;                                  // by cell; −1 means none
  std::vector<bool> held_;
};

/// Returns whether a node-centred problem has faces with several boundary conditions.
bool has_mixed_bc(const Problem& problem);
/// Returns whether the problem uses elements and has such faces. Elements store the penalties of constrained nodes in
/// their bands only.
bool needs_stored_bands(const Problem& problem);
/// Returns those faces on every process that shares the block.
std::vector<MixedBcFace> mixed_bc_faces(const Problem& problem, const Block& block);

}  // namespace poisson
