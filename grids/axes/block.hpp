#pragma once

#include <array>
#include <memory>

#include "backends/field.hpp"
#include "grids/axes/axis.hpp"

namespace poisson {

/// A structured block: the product of its axes. In two dimensions the third axis is degenerate.
struct Block {
  std::array<Axis, 3> axes;
  /// Of a part of a block that several processes share: how its values are shared out. Its axes are windows.
  std::shared_ptr<const Share> share;

  int dimension() const { return axes[2].degenerate() ? 2 : 3; }
  /// Layout of a field of values (nodes, in node-centred blocks).
  Layout layout() const;
  /// Layout of a field of cells.
  Layout cell_layout() const;
  /// The values of the block, and its unknowns.
  Space space() const { return share ? Space(*share, whole().unknowns()) : Space(layout(), unknowns()); }
  /// Its cells.
  Space cell_space() const;
  /// The unknowns: all values but the Dirichlet nodes.
  Box unknowns() const;
  /// The part of the block that has these values.
  Block window(const Box& values) const;
  /// The part of this process.
  Block part(const std::shared_ptr<const Share>& share) const;
  /// Those that have its parts.
  const Processes& processes() const { return share ? *share->processes : *one_process(); }
  /// The block that it is a part of.
  Block whole() const;
  bool equidistant() const;
  /// That of all its axes.
  Centering centering() const { return axes[0].centering(); }
  /// Where its values sit.
  Location location() const { return centering() == Centering::node ? Location::node : Location::cell; }
  /// Product of the masses of the axes: the volume that value (i, j, k) stands for.
  double mass(int i, int j, int k) const { return axes[0].mass(i) * axes[1].mass(j) * axes[2].mass(k); }
  /// Area that value (i, j, k) has on a face across `axis`.
  double face_area(int axis, int i, int j, int k) const {
    return (axis == 0 ? 1 : axes[0].mass(i)) * (axis == 1 ? 1 : axes[1].mass(j)) * (axis == 2 ? 1 : axes[2].mass(k));
  }
  double cell_volume(int i, int j, int k) const { return axes[0].width(i) * axes[1].width(j) * axes[2].width(k); }
};

/// A box of all values or cells of a block, and one past each end.
Box with_halo(const Block& block, Box box);

/// A coarser block, and how its axes lie in those of the finer one.
struct CoarseBlock {
  Block block;
  std::array<CoarseAxis, 3> axes;
  std::array<bool, 3> coarsened{};
};

/// What a process has of a coarser block of which it has a part of the finer one: the coarse values from where its fine
/// ones begin to where those of the next process do.
CoarseBlock part_of(const CoarseBlock& whole, const Block& fine);

/// The block with about half the cells along the axes that are `coarsened`.
CoarseBlock coarsen(const Block& block, const std::array<bool, 3>& coarsened, Coarsening rule = Coarsening::even);

}  // namespace poisson
