#include "solver/galerkin_choice.hpp"

namespace poisson {
namespace {

constexpr double many_jumps_of_a_line = 2;
// A range so many times the largest jump is that of κ that varies in many steps.
constexpr double range_of_many_steps = 10;
constexpr double jump_in_cells = 300;

constexpr double rough_jump = 1e3;
constexpr double share_from_cell_to_cell = 0.3;

}  // namespace

bool few_jumps(const Jumps& jumps, const Block& block) {
  if (block.centering() == Centering::node || jumps.range > range_of_many_steps * jumps.largest) return false;
  double cells = 0;
  for (const Axis& axis : block.axes) cells += axis.degenerate() ? 0 : axis.all_cells();
  return jumps.share * cells / block.dimension() < many_jumps_of_a_line;
}

bool galerkin_pays_in_cells(const Jumps& jumps, const Block& block) {
  return block.centering() == Centering::cell && jumps.largest >= jump_in_cells && !few_jumps(jumps, block);
}

bool galerkin_beats_lines(const Jumps& jumps, std::ptrdiff_t stretched_axes) {
  return jumps.largest >= rough_jump &&
         (jumps.share >= share_from_cell_to_cell || (jumps.rough() && stretched_axes >= 2));
}

}  // namespace poisson
