#include "grids/blocks/stacked_entries.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace poisson {
namespace {

std::vector<std::size_t> own_of_group(const StackedLists& lists, std::size_t group) {
  std::vector<std::size_t> own;
  for (std::size_t b = 0; b < lists.group_of_own.size(); ++b)
    if (lists.group_of_own[b] == static_cast<int>(group)) own.push_back(b);
  return own;
}

// Copies bands to their places.
template <class T>
std::vector<T> place_bands(const BlockOperatorData& data, const BlockShape& shape,
                           const std::vector<std::size_t>& own) {
  const BandPlaces places(shape, static_cast<int>(forward_offsets(data.level.space->dimension()).size()));
  std::vector<T> all(static_cast<std::size_t>(places.count(shape)), T(0));
  const std::int64_t plane = std::int64_t{shape.n[0]} * shape.n[1];
  const std::int64_t lines = std::int64_t{shape.n[2]} * places.offsets * shape.patches;
#pragma omp parallel for schedule(static) if (lines * plane > 10000)
  for (std::int64_t line = 0; line < lines; ++line) {
    const int c = static_cast<int>(line % places.offsets), k = static_cast<int>(line / places.offsets % shape.n[2]),
              p = static_cast<int>(line / places.offsets / shape.n[2]);
    const double* const from = data.level.matrix->own[own[static_cast<std::size_t>(p)]].bands.data() +
                               c * std::int64_t{shape.nodes} + k * plane;
    T* const to = all.data() + places.plane(shape, p, k) + std::int64_t{c} * places.pitch;
    for (std::int64_t i = 0; i < plane; ++i) to[i] = static_cast<T>(data.scale * from[i]);
  }
  return all;
}

template <class T>
std::vector<T> join_sums(const BlockOperatorData& data, const std::vector<std::size_t>& own) {
  std::vector<T> all;
  for (const std::size_t b : own)
    for (const double sum : data.level.matrix->own[b].sums) all.push_back(static_cast<T>(data.scale * sum));
  return all;
}

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

template <class T>
void take_axes(const BlockOperatorData& data, const std::vector<std::size_t>& own, StackedEntries<T>& made) {
  made.model = StackedEntries<T>::Model::axes;
  for (const std::size_t b : own) {
    const TensorFactors& factors = *data.level.matrix->own[b].tensor;
    for (std::size_t d = 0; d < static_cast<std::size_t>(data.level.space->dimension()); ++d)
      add_axis(factors.axis[d], made.values[d]);
    for (const double entry : factors.metric) made.values[3].push_back(static_cast<T>(data.scale * entry));
    made.values[3].push_back(static_cast<T>(data.scale * factors.reaction));
    made.values[3].push_back(0);
  }
}

// Takes places and coefficients of cells. Returns false if some block has Robin conditions.
template <class T>
bool take_cells(const BlockOperatorData& data, const std::vector<std::size_t>& own, bool places,
                StackedEntries<T>& made) {
  std::vector<BlockCells> all;
  for (const std::size_t b : own) {
    std::optional<BlockCells> of = data.level.matrix->cells(b);
    if (!of) return false;
    made.varies = made.varies || of->varies;
    made.tensor = made.tensor || of->entries > 1;
    if (places) made.place.insert(made.place.end(), of->place.begin(), of->place.end());
    of->place = {};
    all.push_back(std::move(*of));
  }
  const std::array<int, 3>& n = data.level.space->own[own.front()].nodes;
  made.model = StackedEntries<T>::Model::cells;
  made.coefficients = made.varies ? std::int64_t{n[0] - 1} * (n[1] - 1) * (n[2] - 1) : 1;
  const bool reacts = std::ranges::any_of(all, [](const BlockCells& of) { return !of.sigma.empty(); });
  const auto count = static_cast<std::size_t>(made.coefficients);
  for (const BlockCells& of : all) {
    for (std::size_t e = 0; e < (made.tensor ? 6U : 1U); ++e)
      for (std::size_t c = 0; c < count; ++c) made.values[0].push_back(static_cast<T>(data.scale * of.kappa_of(e, c)));
    for (std::size_t c = 0; c < count && reacts; ++c)
      made.values[1].push_back(static_cast<T>(data.scale * of.sigma_of(c)));
  }
  return true;
}

}  // namespace

template <class T>
StackedEntries<T> make_stacked_entries(const BlockOperatorData& data, const StackedLists& lists, std::size_t group,
                                       bool places) {
  const BlockMatrix& matrix = *data.level.matrix;
  const std::vector<std::size_t> own = own_of_group(lists, group);
  StackedEntries<T> made;
  const bool any = data.model == BlockModel::automatic || data.model == BlockModel::corrections,
             computes = data.model == BlockModel::automatic || data.model == BlockModel::computed;
  if (any && std::ranges::all_of(own, [&](std::size_t b) { return matrix.own[b].tensor.has_value(); })) {
    take_axes(data, own, made);
    return made;
  }
  if (computes && matrix.cells && take_cells(data, own, places, made)) return made;
  made = {};
  made.values[0] = place_bands<T>(data, lists.groups[group].shape, own);
  made.values[1] = join_sums<T>(data, own);
  return made;
}

template <class T>
StackedFactors<T> join_factors(const BlockLines<T>& lines, const BlockSpace& blocks, const StackedLists& lists,
                               std::size_t group, std::size_t axis) {
  StackedFactors<T> joined;
  for (const std::size_t b : own_of_group(lists, group))
    for (const bool lower : {false, true}) {
      const std::vector<T>& values = lower ? lines.factors(b, axis).lower : lines.factors(b, axis).inverse;
      std::vector<T>& to = lower ? joined.lower : joined.inverse;
      const std::size_t first = to.size();
      to.insert(to.end(), values.begin(), values.end());
      if (axis > 0) continue;
      const auto count = static_cast<std::size_t>(blocks.own[b].nodes[0]), across = values.size() / count;
      for (std::size_t l = 0; l < across; ++l)
        for (std::size_t i = 0; i < count; ++i) to[first + i * across + l] = values[l * count + i];
    }
  return joined;
}

template StackedEntries<float> make_stacked_entries(const BlockOperatorData&, const StackedLists&, std::size_t, bool);
template StackedEntries<double> make_stacked_entries(const BlockOperatorData&, const StackedLists&, std::size_t, bool);
template StackedFactors<float> join_factors(const BlockLines<float>&, const BlockSpace&, const StackedLists&,
                                            std::size_t, std::size_t);
template StackedFactors<double> join_factors(const BlockLines<double>&, const BlockSpace&, const StackedLists&,
                                             std::size_t, std::size_t);

}  // namespace poisson
