#include "grids/blocks/stacked_entries.hpp"

#include <algorithm>
#include <type_traits>

#include "grids/blocks/stacked_sources.hpp"

namespace poisson {
namespace {

template <class T>
void add_axis(const TensorFactors::Axis& axis, std::vector<T>& to) {
  const auto add = [&to](const std::vector<double>& values) {
    for (const double value : values) to.push_back(static_cast<T>(value));
    to.push_back(0);
  };
  for (const auto* of_cells : {&axis.stiffness, &axis.mass}) {
    to.push_back(0);
    add(*of_cells);
  }
  add(axis.diagonal);
}

}  // namespace

template <class T>
EntryModel choose_model(const BlockOperatorData& data, const StackedLists& lists, std::size_t group) {
  const BlockMatrix& matrix = *data.level.matrix;
  const std::vector<std::size_t> own = own_of_group(lists, group);
  const bool any = data.model != BlockModel::stored && data.model != BlockModel::computed;
  if (any && std::ranges::all_of(own, [&](std::size_t b) { return matrix.own[b].tensor.has_value(); }))
    return EntryModel::axes;
  if ((data.model == BlockModel::automatic || data.model == BlockModel::computed) && matrix.sources &&
      data.level.space->dimension() == 3 &&
      std::ranges::none_of(own, [&](std::size_t b) { return matrix.sources->robin(b); }))
    return EntryModel::cells;
  if (data.model == BlockModel::shared && std::is_same_v<T, double>) return EntryModel::split;
  if (data.model != BlockModel::narrow) return EntryModel::bands;
  return std::is_same_v<T, float> ? EntryModel::narrow : EntryModel::paired;
}

bool has_row_sums(const BlockLevel& level, const StackedLists& lists, std::size_t group) {
  if (level.shares) return true;
  if (level.matrix->finer) return has_row_sums(*level.matrix->finer, lists, group);
  if (!level.matrix->sources) return true;
  const BlockSources& sources = *level.matrix->sources;
  return sources.reacts() ||
         std::ranges::any_of(own_of_group(lists, group), [&](std::size_t b) { return sources.robin(b); });
}

template <class T>
AxisTables<T> join_axes(const BlockOperatorData& data, const StackedLists& lists, std::size_t group) {
  AxisTables<T> made;
  for (const std::size_t b : own_of_group(lists, group)) {
    const TensorFactors& factors = *data.level.matrix->own[b].tensor;
    for (std::size_t d = 0; d < static_cast<std::size_t>(data.level.space->dimension()); ++d)
      add_axis(factors.axis[d], made.values[d]);
    for (const double entry : factors.metric) made.values[3].push_back(static_cast<T>(data.scale * entry));
    made.values[3].push_back(static_cast<T>(data.scale * factors.reaction));
    made.values[3].push_back(0);
    for (std::size_t e = 3; e < 6; ++e)
      made.straight = made.straight && made.values[3][made.values[3].size() - 8 + e] == 0;
  }
  return made;
}

template EntryModel choose_model<float>(const BlockOperatorData&, const StackedLists&, std::size_t);
template EntryModel choose_model<double>(const BlockOperatorData&, const StackedLists&, std::size_t);
template AxisTables<float> join_axes(const BlockOperatorData&, const StackedLists&, std::size_t);
template AxisTables<double> join_axes(const BlockOperatorData&, const StackedLists&, std::size_t);

}  // namespace poisson
