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

bool may_have_clusters(const Jumps& jumps, const Block& block) {
  constexpr double many = 12;
  return jumps.rough() || (block.dimension() == 2 && large_jumps_of_line(jumps, block) >= many);
}

}  // namespace poisson
