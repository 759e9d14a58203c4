#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/blocks/block_lines.hpp"
#include "grids/blocks/stacked_tables.hpp"

/// Lists on the host which lines stacked blocks have (StackedLines).
namespace poisson {

/// Locates the couplings of the patches of a group in the memory of a coupling space, by patch and axis.
std::vector<GroupMemory> coupling_places(const CouplingSpace& space, const StackedLists& lists, std::size_t group,
                                         int dimension);

/// Returns for each patch of a group and each axis whether the block has lines along it. `most` has the result of
/// MeasureLine for each line of each axis.
std::vector<unsigned char> strong_axes(const BlockShape& shape, const std::array<std::vector<float>, 3>& most,
                                       int dimension);

/// Lists the blocks of a group that have lines along the same axes.
struct ListedBlocks {
  std::size_t group = 0;
  int axes = 0;  ///< a bit each
  std::vector<int> patches;
};
std::vector<ListedBlocks> list_blocks(const std::vector<unsigned char>& strong, std::size_t group, int dimension);

/// Lists the values at interfaces that lines reach, and their slots.
struct ListedValuesAtLines {
  std::vector<int> value, start, slot;
  std::vector<unsigned char> reached;  ///< of each value that is an unknown
};
/// `start` and `slot` are those of StackedLists, and `has_lines` tells of each slot whether its block has lines.
ListedValuesAtLines list_values_at_lines(const std::vector<int>& start, const std::vector<int>& slot,
                                         const std::vector<unsigned char>& has_lines, int free);

}  // namespace poisson
