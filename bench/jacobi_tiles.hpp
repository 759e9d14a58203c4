#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/sweep_pass.hpp"

namespace poisson::bench {

/// Counts the alternative tiles for a pass of Jacobi's method on a GPU, on equal cells with constant κ.
inline constexpr int tile_count = 8;
std::unique_ptr<SweepPass> make_tiled_pass(Backend&, const SchemeRows&, Precision, int tile);

}  // namespace poisson::bench
