#pragma once

#include <array>
#include <vector>

#include "grids/blocks/block_operator.hpp"
#include "grids/blocks/stacked_tables.hpp"

/// Computes on the host what operators of stacked blocks copy to a device. All threads take part, which code for
/// devices cannot arrange.
namespace poisson {

/// Selects the entries of a group of blocks: stored in the precision of the operator, as Narrow, or in fp64 as Narrow
/// and NarrowRest (`paired`) or as floats and ShortRest (`split`); products of axes; or computed from the corners of
/// cells.
enum class EntryModel : std::uint8_t { bands, narrow, paired, split, axes, cells };

/// Returns how an operator in precision T gets the entries of a group.
template <class T>
EntryModel choose_model(const BlockOperatorData& data, const StackedLists& lists, std::size_t group);

/// Returns whether row sums of a group may differ from zero: with a reaction or Robin conditions, or if no sources of
/// the finest level are known, as of blocks of other processes.
bool has_row_sums(const BlockLevel& level, const StackedLists& lists, std::size_t group);

/// Contains the tables of up to three axes and constants (TensorProductOfBlock), times the scale of the operator.
template <class T>
struct AxisTables {
  std::array<std::vector<T>, 4> values;
  bool straight = true;  ///< no block has mixed entries of the metric
};
template <class T>
AxisTables<T> join_axes(const BlockOperatorData& data, const StackedLists& lists, std::size_t group);

}  // namespace poisson
