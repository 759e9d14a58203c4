#pragma once

#include <array>
#include <memory>

#include "backends/device/field.hpp"
#include "backends/memory/per_axis.hpp"
#include "grids/axes/axis.hpp"

namespace poisson {

/// A structured block is the product of its axes. In two dimensions the third axis is degenerate.
struct Block {
  PerAxis<Axis> axes;
  /// Describes how values are distributed if this is the sub-block of a process. Its axes then are windows.
  std::shared_ptr<const Share> share;

  int dimension() const { return axes[2].degenerate() ? 2 : 3; }
  /// Returns the layout of a field of values (of nodes, in node-centred blocks).
  Layout layout() const;
  /// Returns the layout of a field of cells.
  Layout cell_layout() const;
  /// Returns the space of the block's values and unknowns.
  Space space() const { return share ? Space(*share, global().unknowns()) : Space(layout(), unknowns()); }
  /// Returns the space of its cells.
  Space cell_space() const;
  /// Returns the unknowns: all values except the Dirichlet nodes.
  Box unknowns() const;
  /// Returns the sub-block with these values.
  Block window(const Box& values) const;
  /// Returns the sub-block owned by this process.
  Block part(const std::shared_ptr<const Share>& share) const;
  /// Returns the processes that share the block.
  const Processes& processes() const { return share ? *share->processes : *one_process(); }
  /// Returns the global block of a sub-block.
  Block global() const;
  bool equidistant() const;
  /// Returns the centering of all its axes.
  Centering centering() const { return axes[0].centering(); }
  /// Returns where its values lie.
  Location location() const { return centering() == Centering::node ? Location::node : Location::cell; }
  /// Returns the control volume of value (i, j, k): the product of the masses of the axes.
  double mass(int i, int j, int k) const { return axes[0].mass(i) * axes[1].mass(j) * axes[2].mass(k); }
  /// Returns the area of value (i, j, k) on a face across `axis`.
  double face_area(int axis, int i, int j, int k) const {
    return (axis == 0 ? 1 : axes[0].mass(i)) * (axis == 1 ? 1 : axes[1].mass(j)) * (axis == 2 ? 1 : axes[2].mass(k));
  }
  double cell_volume(int i, int j, int k) const { return axes[0].width(i) * axes[1].width(j) * axes[2].width(k); }
};

/// Extends a box of values or cells of a block by one past each end, except along degenerate axes.
Box with_halo(const Block& block, Box box);

/// Contains a coarser block and the positions of its axes in the finer axes.
struct CoarseBlock {
  Block block;
  PerAxis<CoarseAxis> axes;
  std::array<bool, 3> coarsened{};
};

/// Returns the coarse sub-block of this process, whose finer sub-block is `fine`. It owns the coarse values from the
/// first of its fine values up to the first fine value of the next process.
CoarseBlock part_of(const CoarseBlock& whole, const Block& fine);

/// Returns the block with about half the cells along the axes that are `coarsened`.
CoarseBlock coarsen(const Block& block, const std::array<bool, 3>& coarsened, Coarsening rule = Coarsening::even);

}  // namespace poisson
