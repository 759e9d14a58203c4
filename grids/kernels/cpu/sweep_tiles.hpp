#pragma once

#include <cstdint>

#include <omp.h>

#include "backends/spaces/space.hpp"

/// The sizes that a pass of several sweeps (sweep_pass.hpp) depends on.
namespace poisson::cpu {

/// Models that store κ satisfy this concept: a pass computes their rows once.
template <class Coefficients>
concept StoresKappa = requires(const Coefficients c) {
  c.kappa;
};

/// Returns the number of sweeps of a pass over an unpartitioned grid. More sweeps read memory less often, but compute
/// more values twice at the edges of tiles, and a tile that stores more planes must have fewer lines. In two dimensions
/// values are computed twice only at both ends of each thread's share of the lines.
inline int sweeps_of_pass(const Layout& layout) {
  const bool many_lines = layout.n[2] == 1 && layout.n[1] >= 100 * omp_get_max_threads();
  return many_lines ? 12 : 6;
}

/// A thread's stored planes must fit its cache, which is about this many bytes. Stored rows justify a larger tile.
template <class Coefficients>
inline constexpr std::int64_t tile_bytes = std::int64_t{StoresKappa<Coefficients> ? 5 : 3} << 20;

/// Fields of at least this size are written past the caches: before the next pass reads a value, the caches would have
/// evicted it.
inline constexpr std::int64_t streamed_bytes = std::int64_t{4} << 20;

/// The first sweep prefetches the line that it reaches this many lines later.
inline constexpr int lines_ahead = 2;

}  // namespace poisson::cpu
