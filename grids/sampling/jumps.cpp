#include "grids/sampling/jumps.hpp"

#include <algorithm>

#include "grids/axes/block.hpp"

namespace poisson {

void Jumps::join(const Jumps& other) {
  largest = std::max(largest, other.largest);
  range = std::max(range, other.range);
  share = std::max(share, other.share);
  variation = std::max(variation, other.variation);
  for (std::size_t d = 0; d < 3; ++d) steep_along[d] = std::max(steep_along[d], other.steep_along[d]);
}

double large_jumps_of_line(const Jumps& jumps, const Block& block) {
  double cells = 0;
  for (const Axis& axis : block.axes) cells += axis.degenerate() ? 0 : axis.all_cells();
  return jumps.share * cells / block.dimension();
}

bool is_thin(const Block& block) {
  constexpr int few = 8, times = 4;
  if (block.dimension() != 3) return false;
  const auto& [x, y, z] = block.axes;
  const auto [least, most] = std::minmax({x.all_cells(), y.all_cells(), z.all_cells()});
  const int middle = x.all_cells() + y.all_cells() + z.all_cells() - least - most;
  return least <= few && middle >= times * least;
}

bool may_have_clusters(const Jumps& jumps, const Block& block) {
  constexpr double many_in_plane = 12, many_in_layer = 2;
  const double of_line = large_jumps_of_line(jumps, block);
  return jumps.rough() || (block.dimension() == 2 && of_line >= many_in_plane) ||
         (is_thin(block) && of_line >= many_in_layer);
}

}  // namespace poisson
