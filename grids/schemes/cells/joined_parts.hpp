#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grids/axes/block.hpp"
#include "grids/sampling/sampler.hpp"

namespace poisson {

class Functionals;

/// Is the part of a grid to which a part of this process's cells belongs.
struct JoinedPart {
  std::int64_t first = 0;                ///< global number of its first cell, x fastest
  std::array<std::int8_t, 3> periods{};  ///< of each axis, from the first cell to the cells of this process's part
  std::array<bool, 3> winds{};           ///< the part connects both ends of a periodic axis
};

/// Joins connected parts of the cells of each process across cuts and periodic ends. On each process, cells that only
/// connect across a periodic end belong to different parts.
class JoinedParts {
 public:
  using Cell = std::array<int, 3>;
  /// Says whether a cell connects to its neighbour beyond an end of this process's block: the next one on `side`
  /// (−1, 1) of an axis. Both belong to parts.
  using Connects = std::function<bool(const Cell& cell, std::size_t axis, int side)>;
  struct Meeting;

  /// `stored` is the box of this process's cells with its neighbours beyond cuts. `labels` are the numbers of the parts
  /// of its cells, x fastest, or −1; `first` are the cells with which the parts begin. `also` has pairs of parts that
  /// are connected within the grid; it is equal on all processes and continues the numbers of each process
  /// (`numbers_before`). Collective.
  JoinedParts(const Block& block, const Box& stored, Backend& backend, Sampler& sampler, const Functionals& functionals,
              std::vector<int> labels, const std::vector<Cell>& first, const Connects& connects,
              const std::vector<std::pair<std::int64_t, std::int64_t>>& also = {});

  /// Returns the part of the grid that contains a part of this process.
  const JoinedPart& of(int label) const { return own_[static_cast<std::size_t>(label)]; }
  /// Returns whether a part of this process contains the first cell of its part of the grid.
  bool begins(int label) const { return first_[static_cast<std::size_t>(label)] == of(label).first; }
  /// Returns whether other parts may belong to the same part of the grid.
  bool meets_others(int label) const { return others_.contains(global(label)); }
  /// Returns the part of a cell beyond the ends of this process's block, or null.
  const JoinedPart* beyond(const Cell& cell) const;

 private:
  std::int64_t global(int label) const { return offset_ + label; }
  std::size_t place(const Cell& cell) const;
  /// Returns the number of the part of a cell beyond the ends of this block among those of all processes, or −1.
  std::int64_t number_beyond(Cell cell) const;
  std::vector<Meeting> meetings(const Connects& connects,
                                const std::vector<std::pair<std::int64_t, std::int64_t>>& also) const;

  const Block& block_;
  Box own_box_, stored_;
  std::int64_t offset_ = 0;     ///< of the parts of this process among those of all
  std::vector<double> around_;  ///< numbers of parts + 1 in the stored cells, if there are several processes
  std::vector<int> labels_;
  std::vector<std::int64_t> first_;  ///< global numbers of the first cells of this process's parts
  std::vector<JoinedPart> own_;
  std::unordered_map<std::int64_t, JoinedPart> others_;  ///< the parts at ends of blocks, of all processes
};

/// Returns the sum of the numbers of the processes before this one. Collective.
inline std::int64_t numbers_before(const Processes& processes, std::size_t own) {
  std::int64_t sum = 0;
  const std::vector<std::size_t> all = processes.gather(own);
  for (int r = 0; r < processes.rank(); ++r) sum += static_cast<std::int64_t>(all[static_cast<std::size_t>(r)]);
  return sum;
}

/// Returns the lists of all processes one after another. Collective.
template <class T>
std::vector<T> gather_lists(const Processes& processes, const std::vector<T>& own) {
  if (processes.alone()) return own;
  constexpr std::size_t entries = 256;
  struct Message {
    std::array<T, entries> values{};
  };
  const std::vector<std::size_t> sizes = processes.gather(own.size());
  std::vector<std::vector<T>> lists(sizes.size());
  std::size_t most = 0;
  for (const std::size_t size : sizes) most = std::max(most, size);
  for (std::size_t n = 0; n < most; n += entries) {
    Message message;
    for (std::size_t e = 0; e < entries && n + e < own.size(); ++e) message.values[e] = own[n + e];
    const std::vector<Message> all = processes.gather(message);
    for (std::size_t p = 0; p < sizes.size(); ++p)
      for (std::size_t e = 0; e < entries && n + e < sizes[p]; ++e) lists[p].push_back(all[p].values[e]);
  }
  std::vector<T> joined;
  for (const auto& list : lists) joined.insert(joined.end(), list.begin(), list.end());
  return joined;
}

}  // namespace poisson
