#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Computes a stencil along a line: out[i] = Σ_k weight(k) in[i + k] for |k| ≤ reach, added in the order of k. `in` has
/// `reach` values before the first point and behind the last.
inline constexpr int stencil_reach = 4;
constexpr float stencil_weight(int k) {
  return 1.0f / static_cast<float>(1 << (k < 0 ? -k : k));  // powers of two, so that products are exact even if
                                                            // contracted
}

/// The oracle assumes that `in` is noise_float by position.
struct LineStencil {
  constexpr float operator()(std::int64_t i) const {
    float sum = 0;
    for (int k = -stencil_reach; k <= stencil_reach; ++k)
      sum += stencil_weight(k) * noise_float(static_cast<std::uint64_t>(i + stencil_reach + k));
    return sum;
  }
};

/// A tile has tile_values values; at most most_stages tiles are in flight per block.
inline constexpr int tile_values = 2048, most_stages = 4;

/// These are the ways to copy a tile and its neighbours to shared memory.
inline constexpr std::string_view by_caches = "no tile, neighbours from caches", by_loads = "loads and stores",
                                  by_async = "asynchronous copies (cp.async)", by_bulk = "bulk copies (TMA)";

/// Derives conclusions from the panel "stages": GB/s over the tiles in flight.
std::vector<std::string> conclude_staging(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
