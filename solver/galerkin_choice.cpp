#include "solver/galerkin_choice.hpp"

namespace poisson {
namespace {

constexpr double many_jumps_of_a_line = 2;
// If the range of κ exceeds this multiple of its largest jump, κ varies in many steps.
constexpr double range_of_many_steps = 10;
constexpr double jump_in_cells = 300;
// Steps of κ that a line meets within layers, at most, and across them, at least.
constexpr double steps_within_layers = 0.5, many_layers = 4;

constexpr double rough_jump = 1e3;
constexpr double share_from_cell_to_cell = 0.3;

}  // namespace

bool few_jumps(const Jumps& jumps, const Block& block) {
  if (block.centering() == Centering::node || jumps.range > range_of_many_steps * jumps.largest) return false;
  return !many_jumps(jumps, block);
}

bool many_jumps(const Jumps& jumps, const Block& block) {
  double cells = 0;
  for (const Axis& axis : block.axes) cells += axis.degenerate() ? 0 : axis.all_cells();
  return jumps.share * cells / block.dimension() >= many_jumps_of_a_line;
}

std::optional<int> axis_of_layers(const Jumps& jumps, const Block& block) {
  if (block.dimension() != 2 || jumps.largest < Jumps::large) return std::nullopt;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::size_t across = 1 - d;
    const double along = jumps.steep_along[d] * block.axes[d].all_cells(),
                 met = jumps.steep_along[across] * block.axes[across].all_cells();
    if (along < steps_within_layers && met >= many_layers) return static_cast<int>(d);
  }
  return std::nullopt;
}

bool galerkin_pays_in_cells(const Jumps& jumps, const Block& block) {
  return block.centering() == Centering::cell && jumps.largest >= jump_in_cells && !few_jumps(jumps, block);
}

bool galerkin_beats_lines(const Jumps& jumps, std::ptrdiff_t stretched_axes) {
  return jumps.largest >= rough_jump &&
         (jumps.share >= share_from_cell_to_cell || (jumps.rough() && stretched_axes >= 2));
}

}  // namespace poisson
