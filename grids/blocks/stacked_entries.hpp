#pragma once

#include <array>
#include <vector>

#include "grids/blocks/block_lines.hpp"
#include "grids/blocks/block_operator.hpp"
#include "grids/blocks/stacked_lines.hpp"

/// Computes on the host what operators of stacked blocks copy to a device. All threads take part, which code for
/// devices cannot arrange.
namespace poisson {

/// Contains the entries of the blocks of one shape, times the scale of the operator.
template <class T>
struct StackedEntries {
  /// Bands: entries at BandPlaces, and row sums. Axes: the tables of up to three axes, and constants
  /// (TensorProductOfBlock). Cells: κ, and σ or nothing (CellTables).
  enum class Model : std::uint8_t { bands, axes, cells } model = Model::bands;
  std::array<std::vector<T>, 4> values;
  std::vector<double> place;      ///< of the nodes of cells; empty if not wanted
  std::int64_t coefficients = 0;  ///< of the cells of a block
  bool varies = false, tensor = false;
};

/// Makes the entries of a group. `places` asks for those of nodes.
template <class T>
StackedEntries<T> make_stacked_entries(const BlockOperatorData& data, const StackedLists& lists, std::size_t group,
                                       bool places);

/// Contains the factors of lines of a group along an axis (LineFactors).
template <class T>
struct StackedFactors {
  std::vector<T> inverse, lower;
};
template <class T>
StackedFactors<T> join_factors(const BlockLines<T>& lines, const BlockSpace& blocks, const StackedLists& lists,
                               std::size_t group, std::size_t axis);

extern template StackedEntries<float> make_stacked_entries(const BlockOperatorData&, const StackedLists&, std::size_t,
                                                           bool);
extern template StackedEntries<double> make_stacked_entries(const BlockOperatorData&, const StackedLists&, std::size_t,
                                                            bool);
extern template StackedFactors<float> join_factors(const BlockLines<float>&, const BlockSpace&, const StackedLists&,
                                                   std::size_t, std::size_t);
extern template StackedFactors<double> join_factors(const BlockLines<double>&, const BlockSpace&, const StackedLists&,
                                                    std::size_t, std::size_t);

}  // namespace poisson
