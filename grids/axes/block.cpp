#include "grids/axes/block.hpp"

#include <algorithm>

namespace poisson {
Layout Block::layout() const {
  Layout layout;
  for (std::size_t d = 0; d < 3; ++d) {
    layout.n[d] = axes[d].size();
    layout.periodic[d] = axes[d].periodic();
    if (!axes[d].is_global()) layout.halo[d] = cut_halo;
  }
  return layout;
}

Space Block::cell_space() const {
  if (!share) return cell_layout();
  Share cells = *share;
  for (std::size_t d = 0; d < 3; ++d) cells.cuts.n[d] = std::max(1, axes[d].all_cells());
  return {cells, {{}, cells.cuts.n}};
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

Block Block::part(const std::shared_ptr<const Share>& sharing) const {
  if (sharing->cuts.patches() == 1) return *this;
  Block own = window(sharing->cuts.patch(sharing->patch()));
  own.share = sharing;
  return own;
}

Block Block::global() const {
  Block all;
  for (std::size_t d = 0; d < 3; ++d) all.axes[d] = axes[d].global();
  return all;
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

CoarseBlock part_of(const CoarseBlock& whole, const Block& fine) {
  if (!fine.share) return whole;
  auto share = std::make_shared<Share>(*fine.share);
  for (std::size_t d = 0; d < 3; ++d) {
    const CoarseAxis& coarse = whole.axes[d];
    share->cuts.n[d] = coarse.axis.size();
    for (int& first : share->cuts.first[d])
      if (first > 0) first = first_behind(coarse, first);
  }
  CoarseBlock part = whole;
  part.block = whole.block.part(share);
  for (std::size_t d = 0; d < 3; ++d) part.axes[d].axis = part.block.axes[d];
  return part;
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
