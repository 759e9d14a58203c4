#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/sweep_pass.hpp"

namespace poisson::bench {

/// Tiles that a pass of Jacobi's method could go by on a GPU, on equal cells with constant κ (jacobi_tiles.cu), and
/// where κ of all directions is held per cell (jacobi_kappa_tiles.cu).
inline constexpr int tile_count = 8, kappa_tile_count = 5;
/// Of what the rows call for.
std::unique_ptr<SweepPass> make_tiled_pass(Backend&, const SchemeRows&, Precision, int tile);
std::unique_ptr<SweepPass> make_kappa_tiled_pass(Backend&, const NodeRows&, Precision, int tile);

}  // namespace poisson::bench
