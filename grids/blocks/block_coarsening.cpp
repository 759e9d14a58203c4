#include "grids/blocks/block_coarsening.hpp"

#include <cstddef>
#include <numeric>

namespace poisson {

std::vector<int> coarse_cells(int cells) {
  std::vector<int> starts;
  const int half = (cells - 1) / 2;  // cells on each side of the middle one, if their number is odd
  const int before = cells % 2 == 0 ? cells : half - half % 2;
  for (int c = 0; c < before; c += 2) starts.push_back(c);
  if (cells % 2 != 0) {
    starts.push_back(before);
    for (int c = cells - before; c < cells; c += 2) starts.push_back(c);
  }
  starts.push_back(cells);
  return starts;
}

std::vector<int> coarse_cells(int cells, int coarse) {
  if (coarse != cells) return coarse_cells(cells);
  std::vector<int> starts(static_cast<std::size_t>(cells) + 1);
  std::iota(starts.begin(), starts.end(), 0);
  return starts;
}

AxisInterpolation interpolate_axis(int cells, int coarse) {
  AxisInterpolation found;
  if (cells == 0) return {{{0, 0}}, {{{0, 1}}}};
  const std::vector<int> starts = coarse_cells(cells, coarse);
  found.shares.resize(starts.size());
  for (std::size_t c = 0; c + 1 < starts.size(); ++c)
    for (int i = starts[c]; i < starts[c + 1]; ++i)
      found.nodes.push_back({static_cast<int>(c), static_cast<double>(i - starts[c]) / (starts[c + 1] - starts[c])});
  found.nodes.push_back({static_cast<int>(starts.size()) - 2, 1});
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    const auto [index, t] = found.nodes[i];
    if (t < 1) found.shares[static_cast<std::size_t>(index)].push_back({static_cast<int>(i), 1 - t});
    if (t > 0) found.shares[static_cast<std::size_t>(index) + 1].push_back({static_cast<int>(i), t});
  }
  return found;
}

}  // namespace poisson
