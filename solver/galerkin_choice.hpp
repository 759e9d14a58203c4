#pragma once

#include <cstddef>
#include <optional>

#include "grids/axes/block.hpp"
#include "grids/sampling/jumps.hpp"

// This header decides when `auto` uses Galerkin coarse operators (docs/design/coarse-operators.md).
namespace poisson {

/// Returns whether rediscretized levels cost less than Galerkin operators: unknowns are in cells, κ has few values, and
/// a line through the block meets fewer than two large jumps on average, and lines along no axis meet many steps.
bool few_jumps(const Jumps& jumps, const Block& block);

/// Returns whether a line through the block meets two large jumps or more on average.
bool many_jumps(const Jumps& jumps, const Block& block);

/// Returns whether lines along some axis meet two steps of κ or more on average.
bool many_steps(const Jumps& jumps, const Block& block);

/// Returns whether a box in space has few cells along one axis, compared with the others. Its coarse levels are planes.
bool is_flat(const Block& block);

/// Returns whether κ varies by orders of magnitude in many steps or waves, as lognormal fields do. Rediscretized levels
/// lose its connected paths, however small each step is.
bool varies_widely(const Jumps& jumps, const Block& block);

/// Returns whether coarse levels resolve κ of a wide range, because it varies over long distances.
bool varies_gently(const Jumps& jumps);

/// Returns whether κ in the plane has a range that V-cycles on Galerkin levels do not serve.
bool has_extreme_range(const Jumps& jumps, const Block& block);

/// Returns the axis along which layers lie in a plane: κ hardly steps along it, and lines across it meet many steps.
std::optional<int> axis_of_layers(const Jumps& jumps, const Block& block);

/// Returns the axis across layers in space: lines along this axis meet many steps of κ, and lines along the other axes
/// few in comparison.
std::optional<int> axis_across_layers(const Jumps& jumps, const Block& block);

/// Returns whether κ in space steps much more often along one axis than along another one, as in layers that are
/// oblique to the axes and in fibres of one orientation. V-cycles then accumulate the errors of all levels.
bool oblique_layers(const Jumps& jumps, const Block& block);

/// Returns whether Galerkin operators reduce the time to solution in cells: jumps are not few, and the largest is at
/// least 300.
bool galerkin_pays_in_cells(const Jumps& jumps, const Block& block);

/// Returns whether Galerkin operators are better than line relaxation: κ jumps sharply from cell to cell on any grid,
/// or between blocks if at least two axes are stretched.
bool galerkin_beats_lines(const Jumps& jumps, std::ptrdiff_t stretched_axes);

}  // namespace poisson
