#pragma once

#include "backends/box.hpp"

namespace poisson {

/// Describes a box of layers across an axis as lines through the layers, so that kernels can distribute it by lines.
/// Boxes of one shape at the two ends of an axis have the same lines: values in both boxes belong to one line.
struct LayerLines {
  struct Place {
    int x, y, z;
  };

  int first[3], extent[3], axis;

  static constexpr LayerLines of(const Box& box, int axis) {
    LayerLines lines{{}, {}, axis};
    for (std::size_t d = 0; d < 3; ++d) {
      lines.first[d] = box.first[d];
      lines.extent[d] = box.last[d] - box.first[d];
    }
    return lines;
  }

  constexpr int layers() const { return extent[axis]; }
  constexpr int lines() const { return extent[axis == 0 ? 1 : 0] * extent[axis == 2 ? 1 : 2]; }
  constexpr Place place(int line, int layer) const {
    const int width = extent[axis == 0 ? 1 : 0], low = line % width, high = line / width;
    return axis == 0   ? Place{first[0] + layer, first[1] + low, first[2] + high}
           : axis == 1 ? Place{first[0] + low, first[1] + layer, first[2] + high}
                       : Place{first[0] + low, first[1] + high, first[2] + layer};
  }
};

}  // namespace poisson
