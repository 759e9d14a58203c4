#include "grids/schemes/cells/joined_parts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/kernels/functionals.hpp"
#include "grids/schemes/cells/part_trees.hpp"

namespace poisson {

// Is a meeting of two parts, seen from the first one: the second part lies `periods` further. Each part at an end of a
// block also meets itself, so that all processes know its first cell.
struct JoinedParts::Meeting {
  std::int64_t part = 0, other = 0;
  std::int64_t first = 0;  // cell of `part`
  std::array<std::int8_t, 3> periods{};
  auto operator<=>(const Meeting&) const = default;
};

namespace {

using Meeting = JoinedParts::Meeting;
std::int64_t global_number(const Block& block, const std::array<int, 3>& cell) {
  std::int64_t number = 0;
  for (std::size_t d = 3; d-- > 0;) {
    const Axis& axis = block.axes[d];
    number = axis.degenerate() ? number : number * axis.all_cells() + axis.global_cell(cell[d]);
  }
  return number;
}

// Joins the parts that meet, and returns the part of the grid of each.
std::unordered_map<std::int64_t, JoinedPart> join(const std::vector<Meeting>& meetings) {
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;  // with their first cells
  for (const Meeting& m : meetings)
    if (m.part == m.other) parts.emplace_back(m.part, m.first);
  std::ranges::sort(parts);
  const auto last = std::ranges::unique(parts);
  parts.erase(last.begin(), last.end());
  const auto place = [&](std::int64_t part) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(parts, part, {}, &std::pair<std::int64_t, std::int64_t>::first) - parts.begin());
  };
  PartTrees trees(parts.size());
  for (const Meeting& m : meetings) trees.join(place(m.part), place(m.other), m.periods);
  std::vector<std::size_t> leading(parts.size(), parts.size());  // the part of each root with the first cell
  for (std::size_t n = 0; n < parts.size(); ++n) {
    std::size_t& found = leading[trees.root(n).parent];
    if (found == parts.size() || parts[n].second < parts[found].second) found = n;
  }
  std::unordered_map<std::int64_t, JoinedPart> joined;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const auto own = trees.root(n);
    const std::size_t lead = leading[own.parent];
    joined[parts[n].first] = {parts[lead].second, sum(own.periods, trees.root(lead).periods, -1),
                              trees.winds(own.parent)};
  }
  return joined;
}

}  // namespace

std::size_t JoinedParts::place(const Cell& cell) const {
  const auto nx = static_cast<std::size_t>(own_box_.last[0]), ny = static_cast<std::size_t>(own_box_.last[1]);
  return (static_cast<std::size_t>(cell[2]) * ny + static_cast<std::size_t>(cell[1])) * nx +
         static_cast<std::size_t>(cell[0]);
}

std::int64_t JoinedParts::number_beyond(Cell cell) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (block_.axes[d].periodic()) cell[d] = block_.axes[d].global_cell(cell[d]);
  if (contains(own_box_, cell)) {
    const int label = labels_[place(cell)];
    return label < 0 ? -1 : global(label);
  }
  if (around_.empty() || !contains(stored_, cell)) return -1;
  std::size_t at = 0;
  for (std::size_t d = 3; d-- > 0;)
    at = at * static_cast<std::size_t>(stored_.last[d] - stored_.first[d]) +
         static_cast<std::size_t>(cell[d] - stored_.first[d]);
  return static_cast<std::int64_t>(around_[at]) - 1;
}

const JoinedPart* JoinedParts::beyond(const Cell& cell) const {
  const auto found = others_.find(number_beyond(cell));
  return found == others_.end() ? nullptr : &found->second;
}

JoinedParts::JoinedParts(const Block& block, const Box& stored, Backend& backend, Sampler& sampler,
                         const Functionals& functionals, std::vector<int> labels, const std::vector<Cell>& first,
                         const Connects& connects, const std::vector<std::pair<std::int64_t, std::int64_t>>& also)
    : block_(block), own_box_(block.layout().box()), stored_(stored), labels_(std::move(labels)) {
  const Processes& processes = block.processes();
  if (!processes.alone()) {
    offset_ = numbers_before(processes, first.size());
    Field field(backend, block.space(), Precision::fp64);
    std::vector<double> values;
    for (const int label : labels_) values.push_back(label < 0 ? 0 : static_cast<double>(global(label) + 1));
    backend.fill(field, 0);
    sampler.put(own_box_, values, SampleStore::set, field);
    backend.exchange(field, 1);
    stored_ = intersection(stored_, block.layout().with_halo());  // cells that the field has
    around_ = functionals.values(field, stored_);
  }
  for (const Cell& cell : first) first_.push_back(global_number(block, cell));
  for (const std::int64_t number : first_) own_.push_back({number});
  others_ = join(gather_lists(processes, meetings(connects, also)));
  for (std::size_t n = 0; n < own_.size(); ++n)
    if (const auto found = others_.find(global(static_cast<int>(n))); found != others_.end()) own_[n] = found->second;
}

// Returns how the parts at the ends of this process's block meet others.
std::vector<JoinedParts::Meeting> JoinedParts::meetings(
    const Connects& connects, const std::vector<std::pair<std::int64_t, std::int64_t>>& also) const {
  std::set<Meeting> met;
  for (const auto& pair : also)
    for (const auto& [part, other] : {pair, std::pair(pair.second, pair.first)}) {
      if (part < offset_ || part >= offset_ + static_cast<std::int64_t>(first_.size())) continue;
      const std::int64_t start = first_[static_cast<std::size_t>(part - offset_)];
      met.insert({part, part, start});
      met.insert({part, other, start});
    }
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
    for (const int side : {-1, 1}) {
      const Axis& axis = block_.axes[d];
      if (axis.open(side < 0 ? 0 : 1)) continue;
      Box layer = own_box_;
      (side < 0 ? layer.last : layer.first)[d] = side < 0 ? 1 : own_box_.last[d] - 1;
      const int beyond = side < 0 ? axis.origin() - 1 : axis.origin() + own_box_.last[d];
      Periods crossed{};
      if (beyond < 0 || beyond >= axis.all_cells()) crossed[d] = static_cast<std::int8_t>(side);
      for_each_place(layer, [&](int i, int j, int k) {
        const Cell cell{i, j, k};
        Cell next = cell;
        next[d] += side;
        const int label = labels_[place(cell)];
        if (label < 0) return;
        const std::int64_t part = global(label), start = of(label).first;
        met.insert({part, part, start});
        if (const std::int64_t other = number_beyond(next); other >= 0 && connects(cell, d, side))
          met.insert({part, other, start, crossed});
      });
    }
  return {met.begin(), met.end()};
}

}  // namespace poisson
