// This file shares blocks out to processes, so that they have equal numbers of cells and few nodes on interfaces.

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "grids/blocks/block_space.hpp"
#include "grids/blocks/metis_shares.hpp"

namespace poisson {
namespace {

// Is the graph of the blocks: their cells, and the nodes that two of them share.
struct BlockGraph {
  std::vector<double> weight;
  std::vector<std::vector<std::pair<int, double>>> near;

  explicit BlockGraph(const BlockNumbers& numbers) : near(static_cast<std::size_t>(numbers.topology().blocks())) {
    const MacroTopology& topology = numbers.topology();
    std::map<std::pair<int, int>, double> shares;
    for (int b = 0; b < topology.blocks(); ++b) weight.push_back(static_cast<double>(numbers.cell_count(b)));
    for (std::size_t p = 0; p < topology.parts().size(); ++p) {
      const MacroPart& part = topology.parts()[p];
      if (part.dimension == topology.dimension()) continue;
      // A vertex or edge counts, too: its blocks exchange values.
      const std::array<int, 3> extent = numbers.extent(static_cast<int>(p));
      const double shared = std::max(1e-3, 1.0 * extent[0] * extent[1] * extent[2]);
      for (const int a : part.blocks)
        for (const int b : part.blocks)
          if (a != b) shares[{a, b}] += shared;
    }
    for (const auto& [pair, shared] : shares)
      near[static_cast<std::size_t>(pair.first)].emplace_back(pair.second, shared);
  }
  MacroGraph rows() const {
    MacroGraph rows{{0}, {}, weight, {}};
    for (const auto& of : near) {
      for (const auto& [block, shared] : of) {
        rows.near.push_back(block);
        rows.shared.push_back(shared);
      }
      rows.start.push_back(static_cast<int>(rows.near.size()));
    }
    return rows;
  }
};

// Cells of a process beyond its share count as much as this number of shared nodes: all others wait for it.
constexpr double penalty = 4;

// Returns the shared nodes between parts, and the penalty for the cells that the largest part has too many.
double cost_of(const BlockGraph& graph, const std::vector<int>& part, int parts) {
  std::vector<double> cells(static_cast<std::size_t>(parts), 0);
  double cut = 0, all = 0;
  for (std::size_t b = 0; b < part.size(); ++b) {
    cells[static_cast<std::size_t>(part[b])] += graph.weight[b];
    all += graph.weight[b];
    for (const auto& [other, shared] : graph.near[b])
      if (part[static_cast<std::size_t>(other)] != part[b]) cut += shared / 2;
  }
  return cut + penalty * (*std::ranges::max_element(cells) - all / parts);
}

// Divides blocks into two halves. `side` has 0 or 1 of the blocks that are divided, and other numbers elsewhere.
class Bisection {
 public:
  Bisection(const BlockGraph& graph, const std::vector<int>& blocks, double share) : graph_(graph), blocks_(blocks) {
    for (const int b : blocks) all_ += weight(b);
    wanted_ = share * all_;
  }

  // Returns the side of each block: 0 gets `share` of the cells.
  std::vector<int> best() {
    std::vector<int> found;
    double least = std::numeric_limits<double>::infinity();
    const std::size_t seeds = std::min<std::size_t>(blocks_.size(), blocks_.size() > 500 ? 3 : 16);
    for (std::size_t s = 0; s < seeds; ++s) {
      grow(blocks_[s * blocks_.size() / seeds]);
      refine();
      const double cost = this->cost();
      if (cost < least) {
        least = cost;
        found = side_;
      }
    }
    return found;
  }

 private:
  double weight(int b) const { return graph_.weight[static_cast<std::size_t>(b)]; }
  int& side(int b) { return side_[static_cast<std::size_t>(b)]; }
  // Moves a block to the other side. gain_ has how many shared nodes a move of each block saves.
  void flip(int block) {
    const auto at = static_cast<std::size_t>(block);
    first_ += side_[at] == 0 ? -weight(block) : weight(block);
    side_[at] = 1 - side_[at];
    gain_[at] = -gain_[at];
    for (const auto& [other, shared] : graph_.near[at])
      if (side(other) >= 0)
        gain_[static_cast<std::size_t>(other)] += side(other) == side_[at] ? -2 * shared : 2 * shared;
  }
  // Returns the gain of moving a block, or of swapping two neighbours that share nodes.
  double gain(int a, int b, double shared) const {
    const double own = gain_[static_cast<std::size_t>(a)];
    return a == b ? own : own + gain_[static_cast<std::size_t>(b)] - 2 * shared;
  }
  double imbalance(double first) const { return std::abs(first - wanted_); }
  // The cut in nodes, and a penalty for cells that a process has too many: they delay all others.
  double cost() {
    double cut = 0;
    for (const int b : blocks_)
      for (const auto& [other, shared] : graph_.near[static_cast<std::size_t>(b)])
        if (side(other) >= 0 && side(other) != side(b)) cut += shared / 2;
    return cut + penalty * imbalance(first_);
  }

  // Adds the neighbour with the largest gain to side 0, from one block on.
  void grow(int seed) {
    side_.assign(graph_.weight.size(), -1);
    gain_.assign(graph_.weight.size(), 0);
    for (const int b : blocks_) side(b) = 1;
    for (const int b : blocks_)
      for (const auto& [other, shared] : graph_.near[static_cast<std::size_t>(b)])
        if (side(other) >= 0) gain_[static_cast<std::size_t>(b)] -= shared;
    first_ = 0;
    for (int next = seed; next >= 0;) {
      if (first_ > 0 && imbalance(first_ + weight(next)) >= imbalance(first_)) break;
      flip(next);
      next = -1;
      for (const int b : blocks_)
        if (side(b) == 1 && (next < 0 || gain_[static_cast<std::size_t>(b)] > gain_[static_cast<std::size_t>(next)]))
          next = b;
    }
  }
  // Moves or swaps blocks as long as the cost falls (Fiduccia and Mattheyses, DAC 1982, without going uphill).
  void refine() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const int a : blocks_) {
        moved = lowers_cost(a, a, 0) || moved;
        for (const auto& [b, shared] : graph_.near[static_cast<std::size_t>(a)])
          if (side(b) >= 0 && side(b) != side(a)) moved = lowers_cost(a, b, shared) || moved;
      }
    }
  }
  bool lowers_cost(int a, int b, double shared) {
    const auto signed_weight = [this](int block) { return side(block) == 0 ? -weight(block) : weight(block); };
    const double then = first_ + signed_weight(a) + (a == b ? 0 : signed_weight(b));
    const double saved = gain(a, b, shared) + penalty * (imbalance(first_) - imbalance(then));
    if (!(saved > 1e-9 * all_)) return false;
    flip(a);
    if (b != a) flip(b);
    return true;
  }

  const BlockGraph& graph_;
  const std::vector<int>& blocks_;
  double all_ = 0, wanted_ = 0, first_ = 0;
  std::vector<int> side_;
  std::vector<double> gain_;
};

void divide(const BlockGraph& graph, const std::vector<int>& blocks, int first, int last, std::vector<int>& process) {
  if (last - first == 1 || blocks.size() < 2) {
    for (const int b : blocks) process[static_cast<std::size_t>(b)] = first;
    return;
  }
  const int half = (last - first + 1) / 2;
  const std::vector<int> side = Bisection(graph, blocks, static_cast<double>(half) / (last - first)).best();
  std::array<std::vector<int>, 2> parts;
  for (const int b : blocks) parts[static_cast<std::size_t>(side[static_cast<std::size_t>(b)])].push_back(b);
  divide(graph, parts[0], first, first + half, process);
  divide(graph, parts[1], first + half, last, process);
}

}  // namespace

std::vector<int> share_blocks(const BlockNumbers& numbers, int processes) {
  const BlockGraph graph(numbers);
  std::vector<int> blocks(graph.weight.size()), process(graph.weight.size(), 0);
  std::iota(blocks.begin(), blocks.end(), 0);
  divide(graph, blocks, 0, processes, process);
  return process;
}

std::vector<int> share_blocks(const BlockNumbers& numbers, const Processes& processes) {
  const int count = processes.count();
  std::vector<int> found = share_blocks(numbers, count);
  if (count == 1) return found;
  if (processes.first()) {
    const BlockGraph graph(numbers);
    double least = cost_of(graph, found, count);
    for (std::vector<int>& other : metis_shares(graph.rows(), count))
      if (const double cost = cost_of(graph, other, count); cost < least) {
        least = cost;
        found = std::move(other);
      }
  }
  processes.broadcast(found.data(), found.size() * sizeof(int), 0);
  return found;
}

}  // namespace poisson
