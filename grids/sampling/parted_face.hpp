#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/places.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/mixed_face.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// The nodes of a face of several kinds. Its parts are unions of cells of the face, each of which belongs to the part
/// that its centre lies in. The nodes of cells in Dirichlet parts are held: they keep their places among the unknowns,
/// and what holds them is on their diagonal (grids/schemes/held_nodes.hpp). So free nodes see cells of other parts
/// alone, and no data are cut off within their areas.
class PartedFace {
 public:
  PartedFace(const Problem& problem, const Block& block, int axis, int end);

  int axis() const { return axis_; }
  int end() const { return end_; }
  /// Its nodes, as far as this process has them.
  const Box& nodes() const { return nodes_; }
  /// Whether the face holds a node, which may lie elsewhere.
  bool holds(int i, int j, int k) const { return contains(nodes_, {i, j, k}) && held_[number_of({i, j, k})]; }

  // x fastest over the nodes. Throw ValueError as sample() does.
  /// g in held nodes, the mean of what the cells beside them give; elsewhere 0.
  std::vector<double> given() const;
  /// The integrals of q and of Robin's g, or of α, over the areas of free nodes; in held ones 0.
  std::vector<double> flux_integrals() const;
  std::vector<double> alpha_integrals() const;
  /// Those of q and g against the hat functions of free nodes, from what cells have in their corners.
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
  std::array<std::size_t, 2> along_;  // the axes of the face
  Boundary face_;
  Box nodes_;
  std::array<double, 3> place_{};                          // across it
  std::array<std::vector<double>, 3> at_;                  // where nodes are along it
  std::array<std::vector<std::array<Part, 2>>, 3> sides_;  // what each has of the cells below and above
  Box cells_;                                              // of the face, one past its nodes on each side
  std::vector<int> part_;                                  // of each cell; −1: of none
  std::vector<bool> held_;
};

/// Whether a node-centred problem has faces of several kinds.
bool has_parted_faces(const Problem& problem);
/// Whether it is one of elements, which hold the nodes of such faces in their bands alone.
bool holds_in_bands(const Problem& problem);
/// Those faces, on every process that shares the block.
std::vector<PartedFace> parted_faces(const Problem& problem, const Block& block);

}  // namespace poisson
