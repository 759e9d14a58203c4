#include "grids/blocks/block_coarsening.hpp"

#include <bit>
#include <cstddef>
#include <numeric>

namespace poisson {

// One cell in the middle would stay as thin as it is on all levels that follow, if their numbers were odd, too. It is
// joined to both neighbours on every second one of them.
std::vector<int> coarse_cells(int cells) {
  if (cells % 2 == 0) {
    std::vector<int> starts;
    for (int c = 0; c <= cells; c += 2) starts.push_back(c);
    return starts;
  }
  const bool joins = cells > 1 && std::countr_zero(static_cast<unsigned>(cells - 1)) % 2 != 0;
  const int middle = joins ? 3 : 1, side = (cells - middle) / 2;
  std::vector<int> widths(static_cast<std::size_t>(side / 2), 2);
  if (side % 2 != 0) widths.insert(widths.begin(), 1);
  const std::vector<int> before = widths;
  widths.push_back(middle);
  widths.insert(widths.end(), before.rbegin(), before.rend());
  std::vector<int> starts{0};
  for (const int width : widths) starts.push_back(starts.back() + width);
  return starts;
}

std::vector<int> coarse_cells(int cells, int coarse) {
  if (coarse != cells) return coarse_cells(cells);
  std::vector<int> starts(static_cast<std::size_t>(cells) + 1);
  std::iota(starts.begin(), starts.end(), 0);
  return starts;
}

std::vector<int> coarse_nodes(const std::vector<int>& nodes, int coarse) {
  std::vector<int> left;
  for (const int start : coarse_cells(static_cast<int>(nodes.size()) - 1, coarse))
    left.push_back(nodes[static_cast<std::size_t>(start)]);
  return left;
}

std::vector<double> coarse_widths(const std::vector<double>& widths, int coarse) {
  const std::vector<int> starts = coarse_cells(static_cast<int>(widths.size()), coarse);
  std::vector<double> sums;
  for (std::size_t c = 0; c + 1 < starts.size(); ++c)
    sums.push_back(std::accumulate(widths.begin() + starts[c], widths.begin() + starts[c + 1], 0.0));
  return sums;
}

AxisInterpolation interpolate_axis(const std::vector<double>& widths, int coarse) {
  AxisInterpolation found;
  const auto cells = static_cast<int>(widths.size());
  if (cells == 0) return {{{0, 0}}, {{{0, 1}}}};
  const std::vector<int> starts = coarse_cells(cells, coarse);
  found.shares.resize(starts.size());
  const std::vector<double> sums = coarse_widths(widths, coarse);
  for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
    double before = 0;
    for (int i = starts[c]; i < starts[c + 1]; ++i) {
      found.nodes.push_back({static_cast<int>(c), before / sums[c]});
      before += widths[static_cast<std::size_t>(i)];
    }
  }
  found.nodes.push_back({static_cast<int>(starts.size()) - 2, 1});
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    const auto [index, t] = found.nodes[i];
    if (t < 1) found.shares[static_cast<std::size_t>(index)].push_back({static_cast<int>(i), 1 - t});
    if (t > 0) found.shares[static_cast<std::size_t>(index) + 1].push_back({static_cast<int>(i), t});
  }
  return found;
}

}  // namespace poisson
