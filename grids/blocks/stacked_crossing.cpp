#include "grids/blocks/stacked_crossing.hpp"

#include <algorithm>
#include <numeric>

namespace poisson {

template <class T>
CrossingTables<T> make_crossing_tables(const CrossingLines<T>& lines, const BlockSpace& blocks,
                                       const StackedLists& lists) {
  CrossingTables<T> tables;
  std::vector<int> slot_of_end;
  for (std::size_t list = 0; list < lines.ends().size(); ++list) {
    const auto& ends = lines.ends()[list];
    tables.first[list + 1] = tables.first[list] + static_cast<int>(ends.size());
    int most = 0;
    for (const auto& end : ends) most = std::max(most, end.count);
    const std::int64_t before = std::ssize(tables.weights), stride = std::ssize(ends);
    tables.weights.resize(static_cast<std::size_t>(before + most * stride), T(0));
    for (std::int64_t e = 0; e < stride; ++e) {
      const auto& end = ends[static_cast<std::size_t>(e)];
      const BlockSpace::Own& own = blocks.own[end.own];
      const StackedLists::Group& group = lists.groups[static_cast<std::size_t>(lists.group_of_own[end.own])];
      const GroupMemory& memory = group.memory[static_cast<std::size_t>(precision_of<T>)];
      const BlockShape::Node at{own.patch, 0, end.node[0], end.node[1], end.node[2]};
      tables.ends.push_back({memory.at(own.patch, at.i, at.j, at.k),
                             end.step[0] + end.step[1] * memory.sy + end.step[2] * memory.sz, before + e,
                             static_cast<int>(stride), end.count});
      for (int m = 0; m < end.count; ++m)
        tables.weights[static_cast<std::size_t>(before + e + m * stride)] =
            lines.weights()[static_cast<std::size_t>(end.first + m)];
      slot_of_end.push_back(group.shape.slot(at));
    }
  }
  tables.start.assign(static_cast<std::size_t>(lists.slots) + 1, 0);
  for (const int slot : slot_of_end) ++tables.start[static_cast<std::size_t>(slot) + 1];
  std::partial_sum(tables.start.begin(), tables.start.end(), tables.start.begin());
  std::vector<int> next(tables.start.begin(), tables.start.end() - 1);
  tables.number.resize(slot_of_end.size());
  for (std::size_t e = 0; e < slot_of_end.size(); ++e)
    tables.number[static_cast<std::size_t>(next[static_cast<std::size_t>(slot_of_end[e])]++)] = static_cast<int>(e);
  return tables;
}

template CrossingTables<float> make_crossing_tables(const CrossingLines<float>&, const BlockSpace&,
                                                    const StackedLists&);
template CrossingTables<double> make_crossing_tables(const CrossingLines<double>&, const BlockSpace&,
                                                     const StackedLists&);

}  // namespace poisson
