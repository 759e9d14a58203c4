#pragma once

#include "backends/memory/round_up.hpp"

namespace poisson {

/// Returns the number of slabs into which the marched axis is cut if `slots` blocks march at the same time. Each slab
/// marches through `beyond` extra planes, and the last wave of blocks should be full.
constexpr int slabs_of(long tiles, int planes, int beyond, int slots) {
  const auto waves = [&](int slabs) { return divide_up(tiles * slabs, slots); };
  const auto depth = [&](int slabs) { return divide_up(planes, slabs); };
  int best = 1;
  for (int slabs = 2; depth(slabs) >= 2 * beyond; ++slabs)
    if (waves(slabs) * (depth(slabs) + beyond) < waves(best) * (depth(best) + beyond)) best = slabs;
  return best;
}

}  // namespace poisson
