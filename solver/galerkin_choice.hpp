#pragma once

#include <cstddef>
#include <optional>

#include "grids/axes/block.hpp"
#include "grids/sampling/jumps.hpp"

// Where `auto` takes Galerkin coarse operators (docs/design/coarse-operators.md).
namespace poisson {

/// Whether rediscretized levels cost less than Galerkin operators: unknowns are in cells, κ has few values, and a line
/// through the block meets fewer than two large jumps on average.
bool few_jumps(const Jumps& jumps, const Block& block);

/// Whether a line through the block meets two large jumps or more on average.
bool many_jumps(const Jumps& jumps, const Block& block);

/// The axis along which κ hardly steps in a plane, where lines across meet many steps: layers lie along it.
std::optional<int> axis_of_layers(const Jumps& jumps, const Block& block);

/// Whether Galerkin operators are worth their cost in cells: jumps are not few, and the largest is 300 or more.
bool galerkin_pays_in_cells(const Jumps& jumps, const Block& block);

/// Whether Galerkin operators are worth more than lines: κ jumps far from cell to cell on any grid, or in blocks where
/// two axes or more are stretched.
bool galerkin_beats_lines(const Jumps& jumps, std::ptrdiff_t stretched_axes);

}  // namespace poisson
