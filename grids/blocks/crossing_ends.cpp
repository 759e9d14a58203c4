#include "grids/blocks/crossing_ends.hpp"

#include <algorithm>
#include <numeric>

#include "grids/blocks/stacked_sources.hpp"

namespace poisson {

std::vector<unsigned char> flags_of_lines(const BlockSpace& blocks, const StackedLists& lists, const ListedBlocks& of,
                                          int axis) {
  const std::vector<std::size_t> own = own_of_group(lists, of.group);
  const auto along = static_cast<std::size_t>(axis);
  std::vector<unsigned char> flags;
  for (const int p : of.patches) {
    const BlockSpace::Own& block = blocks.own[own[static_cast<std::size_t>(p)]];
    const std::size_t first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    for (int place = 0; place < 9; ++place) {
      std::array<int, 3> node{};
      const auto put = [&](std::size_t d, int which) {
        const int n = block.nodes[d];
        node[d] = which == 0 ? 0 : which == 2 ? n - 1 : std::min(1, n - 1);
      };
      put(first, place % 3);
      put(second, place / 3);
      int flag = has_line(blocks, block.block, node, along) ? 1 : 0;
      node[along] = 0;
      flag |= on_interface(blocks, block.block, node) ? 2 : 0;
      node[along] = block.nodes[along] - 1;
      flag |= on_interface(blocks, block.block, node) ? 4 : 0;
      flags.push_back(static_cast<unsigned char>(flag));
    }
  }
  return flags;
}

std::vector<int> CrossingLists::add(const ListedBlocks& of, int axis, bool upper, const BlockShape& shape,
                                    const GroupMemory& memory, const std::vector<int>& counts) {
  std::vector<int> number(counts.size(), -1);
  const int in_block = shape.nodes / shape.n[axis];
  const std::int64_t along = axis == 0 ? 1 : axis == 1 ? memory.sy : memory.sz, step = upper ? -along : along;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    if (counts[l] == 0) continue;
    const int listed = static_cast<int>(l) / in_block;
    BlockShape::Node at =
        line_start(shape, axis, of.patches[static_cast<std::size_t>(listed)], static_cast<int>(l) - listed * in_block);
    if (upper) (axis == 0 ? at.i : axis == 1 ? at.j : at.k) = shape.n[axis] - 1;
    number[l] = static_cast<int>(ends_.size());
    ends_.push_back({memory.at(at.patch, at.i, at.j, at.k), step, 0, 0, counts[l]});
    slot_of_end_.push_back(shape.slot(at));
  }
  return number;
}

int CrossingLists::close() {
  const auto stride = static_cast<int>(ends_.size() - closed_);
  int most = 0;
  for (std::size_t e = closed_; e < ends_.size(); ++e) {
    ends_[e].weight = weights_ + static_cast<std::int64_t>(e - closed_);
    ends_[e].stride = stride;
    most = std::max(most, ends_[e].count);
  }
  weights_ += std::int64_t{most} * stride;
  closed_ = ends_.size();
  return static_cast<int>(closed_);
}

const std::vector<int>& CrossingLists::start() {
  std::ranges::fill(start_, 0);
  for (const int slot : slot_of_end_) ++start_[static_cast<std::size_t>(slot) + 1];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  return start_;
}

std::vector<int> CrossingLists::number() const {
  std::vector<int> next(start_.begin(), start_.end() - 1), number(slot_of_end_.size());
  for (std::size_t e = 0; e < slot_of_end_.size(); ++e)
    number[static_cast<std::size_t>(next[static_cast<std::size_t>(slot_of_end_[e])]++)] = static_cast<int>(e);
  return number;
}

}  // namespace poisson
