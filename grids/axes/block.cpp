#include "grids/axes/block.hpp"

#include <algorithm>

namespace poisson {
Layout Block::layout() const {
  Layout layout;
  for (std::size_t d = 0; d < 3; ++d) {
    layout.n[d] = axes[d].size();
    layout.periodic[d] = axes[d].periodic();
  }
  return layout;
}

Layout Block::cell_layout() const {
  Layout layout = this->layout();
  for (std::size_t d = 0; d < 3; ++d) layout.n[d] = std::max(1, axes[d].cells());
  return layout;
}

Box Block::unknowns() const {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] = axes[d].first();
    box.last[d] = axes[d].last();
  }
  return box;
}

Block Block::window(const Box& values) const {
  Block part;
  for (std::size_t d = 0; d < 3; ++d) part.axes[d] = axes[d].window(values.first[d], values.last[d]);
  return part;
}

bool Block::equidistant() const {
  return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.equidistant(); });
}

Box with_halo(const Block& block, Box box) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!block.axes[d].degenerate()) {
      --box.first[d];
      ++box.last[d];
    }
  return box;
}

CoarseBlock coarsen(const Block& block, const std::array<bool, 3>& coarsened, Coarsening rule) {
  CoarseBlock coarse;
  coarse.coarsened = coarsened;
  for (std::size_t d = 0; d < 3; ++d) {
    coarse.axes[d] = coarsened[d] ? coarsen(block.axes[d], rule) : keep(block.axes[d]);
    coarse.block.axes[d] = coarse.axes[d].axis;
  }
  return coarse;
}

}  // namespace poisson
