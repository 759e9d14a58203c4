#include "grids/levels/sharing.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "backends/error.hpp"

namespace poisson {
namespace {

// The first values of parts that differ by one value at most.
std::vector<int> first_values(int n, int parts) {
  std::vector<int> first;
  for (int p = 0; p < parts; ++p) first.push_back(static_cast<int>(std::int64_t{n} * p / parts));
  return first;
}

}  // namespace

Block Sharing::part_of(const Block& whole) const {
  if (processes->alone()) return whole;
  auto share = std::make_shared<Share>();
  share->processes = processes;
  share->cuts.n = whole.layout().n;
  share->cuts.periodic = whole.layout().periodic;
  for (std::size_t d = 0; d < 3; ++d) share->cuts.first[d] = first_values(share->cuts.n[d], parts[d]);
  return whole.part(share);
}

bool Sharing::keeps(const Block& coarse) const {
  if (coarse.space().unknown_count() < least_shared) return false;
  for (int p = 0; p < coarse.share->cuts.patches(); ++p)
    for (std::size_t d = 0; d < 3; ++d)
      if (coarse.share->cuts.count(d) > 1 && coarse.share->cuts.layout(p).n[d] < least_part) return false;
  return true;
}

Parts choose_parts(const Block& block, int processes, const std::array<bool, 3>& whole) {
  const std::array<int, 3> n = block.layout().n;
  // Values of the layers that a cut across an axis exchanges, weighed by how they lie: across z in one piece, across y
  // in lines, across x one by one.
  const auto cost = [&](std::size_t d) {
    constexpr std::array<double, 3> weight{4, 1.5, 1};
    return weight[d] * static_cast<double>(block.layout().size()) / n[d];
  };
  // Slabs have two neighbours. Across the last axis sums have the same bits for every number of them: others have to
  // exchange clearly less.
  constexpr int most_slabs = 8, thick = 16;
  constexpr double clearly = 1.2;
  std::optional<std::size_t> across;
  for (std::size_t d = 3; d-- > 0;)
    if (!whole[d] && processes <= most_slabs && n[d] / processes >= thick)
      if (!across || clearly * cost(d) < cost(*across)) across = d;
  if (across) {
    Parts parts = uncut_axes;
    parts[*across] = processes;
    return parts;
  }
  Parts best{};
  double least = std::numeric_limits<double>::infinity();
  // Of equal surfaces the one that cuts the last axes: their layers are contiguous.
  for (int x = 1; x <= processes; ++x)
    for (int y = 1; x * y <= processes; ++y) {
      if (processes % (x * y) != 0) continue;
      const std::array parts{x, y, processes / (x * y)};
      double surface = 0;
      bool possible = true;
      for (std::size_t d = 0; d < 3; ++d) {
        if (parts[d] == 1) continue;
        possible = possible && n[d] / parts[d] >= least_part;
        surface += (parts[d] - 1) * cost(d) + (whole[d] ? 1e15 : 0);
      }
      if (possible && surface < least) {
        least = surface;
        best = parts;
      }
    }
  if (least == std::numeric_limits<double>::infinity())
    throw InputError("the grid is too small for " + std::to_string(processes) + " processes: of its " +
                     std::to_string(n[0]) + " x " + std::to_string(n[1]) +
                     (n[2] > 1 ? " x " + std::to_string(n[2]) : "") + " values each needs at least " +
                     std::to_string(least_part) + " along an axis that is cut; take fewer processes");
  return best;
}

}  // namespace poisson
