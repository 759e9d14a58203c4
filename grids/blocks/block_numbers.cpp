#include "grids/blocks/block_numbers.hpp"

#include <utility>

#include "grids/blocks/block_coarsening.hpp"

namespace poisson {

BlockNumbers::BlockNumbers(std::shared_ptr<const MacroTopology> topology, std::vector<int> cells,
                           const BlockNumbers* finer)
    : topology_(std::move(topology)), cells_(std::move(cells)), first_{0}, widths_{{0, {}}} {
  for (std::size_t c = 0; c < cells_.size(); ++c)
    widths_.try_emplace(cells_[c], finer ? coarse_widths(finer->widths(finer->cells()[c]), cells_[c])
                                         : std::vector<double>(static_cast<std::size_t>(cells_[c]), 1));
  for (std::size_t p = 0; p < topology_->parts().size(); ++p) {
    const std::array<int, 3> n = extent(static_cast<int>(p));
    first_.push_back(first_.back() + std::int64_t{1} * n[0] * n[1] * n[2]);
  }
}

std::array<int, 3> BlockNumbers::cells_of(int block) const {
  std::array<int, 3> n{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(topology_->dimension()); ++d)
    n[d] = cells_[static_cast<std::size_t>(topology_->edge_class(block, d))];
  return n;
}

std::int64_t BlockNumbers::cell_count(int block) const {
  const std::array<int, 3> n = cells_of(block);
  return std::int64_t{1} * n[0] * n[1] * (topology_->dimension() == 2 ? 1 : n[2]);
}

std::array<int, 3> BlockNumbers::extent(int number) const {
  const MacroPart& part = topology_->parts()[static_cast<std::size_t>(number)];
  std::array<int, 3> n{1, 1, 1};
  for (std::size_t a = 0; a < static_cast<std::size_t>(part.dimension); ++a)
    n[a] = cells_[static_cast<std::size_t>(part.edge_class[a])] - 1;
  return n;
}

int BlockNumbers::place_of(int block, const std::array<int, 3>& node) const {
  const std::array<int, 3> n = cells_of(block);
  int place = 0;
  for (std::size_t d = 0, factor = 1; d < static_cast<std::size_t>(topology_->dimension()); ++d, factor *= 3)
    place += static_cast<int>(factor) * (node[d] == 0 ? 0 : node[d] == n[d] ? 2 : 1);
  return place;
}

std::int64_t BlockNumbers::number(int block, const std::array<int, 3>& node) const {
  const PartInBlock& in = topology_->place(block, place_of(block, node));
  const std::array<int, 3> n = cells_of(block), size = extent(in.part);
  std::array<int, 3> at{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(topology_->dimension()); ++d) {
    if (node[d] == 0 || node[d] == n[d]) continue;
    at[static_cast<std::size_t>(in.axis[d])] = in.flipped[d] ? n[d] - 1 - node[d] : node[d] - 1;
  }
  return first(in.part) + at[0] + std::int64_t{size[0]} * (at[1] + std::int64_t{size[1]} * at[2]);
}

Box BlockNumbers::box_of(int block, int place) const {
  const std::array<int, 3> n = cells_of(block), at = MacroTopology::position(place);
  Box box{{0, 0, 0}, {1, 1, 1}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(topology_->dimension()); ++d) {
    box.first[d] = at[d] == 0 ? 0 : at[d] == 1 ? 1 : n[d];
    box.last[d] = at[d] == 1 ? n[d] : box.first[d] + 1;
  }
  return box;
}

}  // namespace poisson
