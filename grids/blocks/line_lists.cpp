#include "grids/blocks/line_lists.hpp"

#include <algorithm>

#include "grids/blocks/stacked_sources.hpp"

namespace poisson {

std::vector<GroupMemory> coupling_places(const CouplingSpace& space, const StackedLists& lists, std::size_t group,
                                         int dimension) {
  std::vector<GroupMemory> places;
  for (const std::size_t b : own_of_group(lists, group))
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
      const auto [of, patch] = space.own[b][axis];
      GroupMemory memory = group_memory(space.space, static_cast<std::size_t>(of), Precision::fp64);
      memory.first += patch * memory.patch;
      places.push_back(memory);
    }
  return places;
}

std::vector<unsigned char> strong_axes(const BlockShape& shape, const std::array<std::vector<float>, 3>& most,
                                       int dimension) {
  std::vector<unsigned char> strong;
  for (std::size_t p = 0; p < static_cast<std::size_t>(shape.patches); ++p)
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
      const auto lines = static_cast<std::ptrdiff_t>(shape.nodes / shape.n[axis]);
      const auto first = most[axis].begin() + static_cast<std::ptrdiff_t>(p) * lines;
      strong.push_back(*std::max_element(first, first + lines) > static_cast<float>(strong_axis) ? 1 : 0);
    }
  return strong;
}

std::vector<ListedBlocks> list_blocks(const std::vector<unsigned char>& strong, std::size_t group, int dimension) {
  std::array<ListedBlocks, 8> by_axes;
  for (std::size_t p = 0; p * static_cast<std::size_t>(dimension) < strong.size(); ++p) {
    std::size_t axes = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis)
      axes |= std::size_t{strong[p * static_cast<std::size_t>(dimension) + axis]} << axis;
    by_axes[axes].patches.push_back(static_cast<int>(p));
  }
  std::vector<ListedBlocks> listed;
  for (std::size_t axes = 1; axes < by_axes.size(); ++axes)
    if (!by_axes[axes].patches.empty())
      listed.push_back({group, static_cast<int>(axes), std::move(by_axes[axes].patches)});
  return listed;
}

ListedValuesAtLines list_values_at_lines(const std::vector<int>& start, const std::vector<int>& slot,
                                         const std::vector<unsigned char>& has_lines, int free) {
  ListedValuesAtLines listed;
  listed.start.push_back(0);
  for (int v = 0; v < free; ++v) {
    for (int s = start[static_cast<std::size_t>(v)]; s < start[static_cast<std::size_t>(v) + 1]; ++s)
      if (const int at = slot[static_cast<std::size_t>(s)]; has_lines[static_cast<std::size_t>(at)] != 0)
        listed.slot.push_back(at);
    const bool reached = std::ssize(listed.slot) > listed.start.back();
    listed.reached.push_back(reached ? 1 : 0);
    if (!reached) continue;
    listed.value.push_back(v);
    listed.start.push_back(static_cast<int>(listed.slot.size()));
  }
  return listed;
}

}  // namespace poisson
