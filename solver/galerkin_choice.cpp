#include "solver/galerkin_choice.hpp"

#include <algorithm>
#include <array>

namespace poisson {
namespace {

constexpr double many_of_a_line = 2;
// If the range of κ exceeds this multiple of its largest jump, κ varies in many steps.
constexpr double range_of_many_steps = 10;
constexpr double jump_in_cells = 300;
// Steps of κ that a line meets within layers, at most, and across them, at least.
constexpr double steps_within_layers = 0.5, many_layers = 4;
// In space a line within layers may meet one step for this number of steps across them: bodies lie in the layers.
constexpr double layers_of_body = 24;
// From this jump on, many layers take fewer iterations with lines across them.
constexpr double jump_of_layers = 30;
// Layers oblique to the axes: a line along some axis meets at least this number of times as many steps as a line along
// another one.
constexpr double oblique = 4;
// Fibres and other oriented media: the share of steps along some axis is at least this multiple of that along another.
constexpr double oriented = 2;

// Returns the number of steps that a line along each axis meets on average.
std::array<double, 3> steps_of_lines(const Jumps& jumps, const Block& block) {
  std::array<double, 3> steps{};
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    steps[d] = axis.degenerate() ? 0 : jumps.steep_along[d] * axis.all_cells();
  }
  return steps;
}

// Ranges of κ that varies in many steps from which Galerkin operators take less time. In flat boxes they need W-cycles,
// which have many small kernels.
constexpr double wide_range = 1e3, wide_range_in_flat_boxes = 1e6, wide_gentle_range = 1e6;
constexpr int flat = 6;
// From this range on, V-cycles in the plane take many iterations.
constexpr double extreme_range = 1e10;

// Variation of log κ along a line from which cycles alone take longer than conjugate gradients around them
// (docs/design/coarse-operators.md): e.g. four waves between κ = 1 and κ = 10.
constexpr double gentle_variation = 16;

// Returns whether the range of κ comes from many steps, not from a few bodies.
bool in_many_steps(const Jumps& jumps) {
  return jumps.range > range_of_many_steps * jumps.largest;
}

constexpr double rough_jump = 1e3;
constexpr double share_from_cell_to_cell = 0.3;

}  // namespace

bool few_jumps(const Jumps& jumps, const Block& block) {
  if (block.centering() == Centering::node || in_many_steps(jumps)) return false;
  const bool layered = block.dimension() == 3 && std::ranges::max(steps_of_lines(jumps, block)) >= many_layers;
  return !(many_jumps(jumps, block) || (layered && jumps.largest >= jump_in_cells));
}

bool many_jumps(const Jumps& jumps, const Block& block) {
  return large_jumps_of_line(jumps, block) >= many_of_a_line;
}

bool many_steps(const Jumps& jumps, const Block& block) {
  return std::ranges::max(steps_of_lines(jumps, block)) >= many_of_a_line;
}

bool is_flat(const Block& block) {
  std::array<int, 3> cells{};
  for (std::size_t d = 0; d < 3; ++d) cells[d] = block.axes[d].all_cells();
  std::ranges::sort(cells);
  return is_thin(block) || (block.dimension() == 3 && cells[1] >= flat * cells[0]);
}

bool varies_widely(const Jumps& jumps, const Block& block) {
  const double least = is_flat(block) ? wide_range_in_flat_boxes : wide_range;
  return jumps.range >= std::max(least, varies_gently(jumps) ? wide_gentle_range : 1) && in_many_steps(jumps);
}

bool varies_gently(const Jumps& jumps) {
  return jumps.smooth_and_wide() && jumps.variation <= gentle_variation;
}

bool has_extreme_range(const Jumps& jumps, const Block& block) {
  return block.dimension() == 2 && jumps.range >= extreme_range && in_many_steps(jumps);
}

std::optional<int> axis_of_layers(const Jumps& jumps, const Block& block) {
  if (block.dimension() != 2 || jumps.largest < Jumps::large) return std::nullopt;
  const std::array<double, 3> steps = steps_of_lines(jumps, block);
  for (std::size_t d = 0; d < 2; ++d)
    if (steps[d] < steps_within_layers && steps[1 - d] >= many_layers) return static_cast<int>(d);
  return std::nullopt;
}

std::optional<int> axis_across_layers(const Jumps& jumps, const Block& block) {
  if (block.dimension() != 3 || jumps.largest < jump_of_layers) return std::nullopt;
  const std::array<double, 3> steps = steps_of_lines(jumps, block);
  const auto across = static_cast<std::size_t>(std::ranges::max_element(steps) - steps.begin());
  if (steps[across] < many_layers) return std::nullopt;
  const double most = std::max(steps_within_layers, steps[across] / layers_of_body);
  for (std::size_t d = 0; d < 3; ++d)
    if (d != across && steps[d] > most) return std::nullopt;
  return static_cast<int>(across);
}

bool oblique_layers(const Jumps& jumps, const Block& block) {
  const auto [least, most] = std::ranges::minmax(steps_of_lines(jumps, block));
  const auto [rare, frequent] = std::ranges::minmax(jumps.steep_along);
  return block.dimension() == 3 && jumps.largest >= Jumps::large && most >= many_layers &&
         (most >= oblique * least || frequent >= oriented * rare);
}

bool galerkin_pays_in_cells(const Jumps& jumps, const Block& block) {
  return block.centering() == Centering::cell && jumps.largest >= jump_in_cells && !few_jumps(jumps, block);
}

bool galerkin_beats_lines(const Jumps& jumps, std::ptrdiff_t stretched_axes) {
  return jumps.largest >= rough_jump &&
         (jumps.share >= share_from_cell_to_cell || (jumps.rough() && stretched_axes >= 2));
}

}  // namespace poisson
