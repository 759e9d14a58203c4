// The parts of arrays that several processes store.

#include "io/config/array_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace poisson {
namespace {

using Place = std::array<std::int64_t, 3>;

// A process samples one cell beyond its own, interpolating from values on both sides. Levels and output fields need no
// more.
constexpr int margin = 4;

constexpr std::size_t most_in_message = std::size_t{1} << 24;  // values

bool closes(const Problem& problem, std::size_t axis) {
  return axis < static_cast<std::size_t>(problem.dimension) && problem.boundary[axis][0].kind == BoundaryKind::periodic;
}

// Contains an index of the part and the index of the same value in the box of another process.
struct Pair {
  std::int64_t to, from;
};

// Returns the indices of an axis that the part of `array` and a box have in common.
std::vector<Pair> common(const GridArray& array, std::size_t d, bool periodic, const Box& box) {
  const std::int64_t closed = array.shape[d] - (array.location == Location::node ? 1 : 0);
  std::vector<Pair> pairs;
  for (std::int64_t to = 0; to < array.part->count[d]; ++to) {
    std::int64_t place = array.part->first[d] + to;
    if (periodic) place = (place + 2 * closed) % closed;
    if (place >= box.first[d] && place < box.last[d]) pairs.push_back({to, place - box.first[d]});
  }
  return pairs;
}

}  // namespace

GridArray::Part part_of(const GridArray& array, const Problem& problem, const Box& cells) {
  GridArray::Part part{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t all = array.shape[d];
    part.count[d] = all;
    if (all == 1) continue;
    const std::int64_t closed = array.location == Location::node ? all - 1 : all;
    const std::int64_t past = cells.last[d] + margin + (array.location == Location::node ? 1 : 0);
    std::int64_t first = cells.first[d] - margin, last = past;
    if (!closes(problem, d)) {
      first = std::max<std::int64_t>(first, 0);
      last = std::min(last, all);
    } else if (last - first < closed) {
      part.period[d] = closed;
    } else {
      first = 0;
      last = all;
    }
    part.first[d] = first;
    part.count[d] = last - first;
  }
  return part;
}

// Each process counts the values in its cells; the last process
// along an axis also counts the nodes at its end.
void note_spread(GridArray& array, const Box& cells, const Processes& processes) {
  GridArray::Part& part = *array.part;
  Place first{}, last{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    if (array.shape[d] == 1) continue;
    first[d] = cells.first[d];
    last[d] = cells.last[d];
    if (array.location == Location::node && last[d] == array.shape[d] - 1) ++last[d];
  }
  double sum = 0, count = 0, least = std::numeric_limits<double>::max();
  double largest = std::numeric_limits<double>::lowest();
  for (std::int64_t k = first[2]; k < last[2]; ++k)
    for (std::int64_t j = first[1]; j < last[1]; ++j)
      for (std::int64_t i = first[0]; i < last[0]; ++i) {
        const double value = array.at({i, j, k});
        sum += value;
        ++count;
        least = std::min(least, value);
        largest = std::max(largest, value);
      }
  part.mean = processes.sum(sum) / processes.sum(count);
  part.least = processes.least(least);
  part.largest = processes.largest(largest);
}

void distribute(GridArray& array, const Problem& problem, const Box& cells, const Box& own,
                std::span<const double> values, const Processes& processes) {
  array.part = part_of(array, problem, cells);
  const Place& count = array.part->count;
  array.values.assign(static_cast<std::size_t>(count[0] * count[1] * count[2]), 0);
  std::vector<double> block;
  for (int p = 0; p < processes.count(); ++p) {
    Box box = own;
    processes.broadcast(&box, sizeof box, p);
    if (p == processes.rank()) block.assign(values.begin(), values.end());
    block.resize(static_cast<std::size_t>(box.size()));
    for (std::size_t from = 0; from < block.size(); from += most_in_message)
      processes.broadcast(&block[from], std::min(most_in_message, block.size() - from) * sizeof(double), p);
    std::array<std::vector<Pair>, 3> pairs;
    for (std::size_t d = 0; d < 3; ++d) pairs[d] = common(array, d, closes(problem, d), box);
    const std::int64_t nx = box.last[0] - box.first[0], ny = box.last[1] - box.first[1];
    for (const Pair& z : pairs[2])
      for (const Pair& y : pairs[1])
        for (const Pair& x : pairs[0])
          array.values[static_cast<std::size_t>((z.to * count[1] + y.to) * count[0] + x.to)] =
              block[static_cast<std::size_t>((z.from * ny + y.from) * nx + x.from)];
  }
  note_spread(array, cells, processes);
}

}  // namespace poisson
