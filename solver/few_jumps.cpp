#include "solver/few_jumps.hpp"

namespace poisson {
namespace {

constexpr double many_jumps_of_a_line = 2;

}  // namespace

bool few_jumps(const Jumps& jumps, const Block& block) {
  if (block.centering() == Centering::node) return false;
  double cells = 0;
  for (const Axis& axis : block.axes) cells += axis.degenerate() ? 0 : axis.all_cells();
  return jumps.share * cells / block.dimension() < many_jumps_of_a_line;
}

}  // namespace poisson
