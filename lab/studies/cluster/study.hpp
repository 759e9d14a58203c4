#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Jacobi steps on rings of points: u'[i] = (u[i − 1] + u[i + 1] + 2 u[i])/4. The blocks of a cluster share a ring, one
/// piece each. Factors are powers of two, so every product is exact.
inline constexpr int piece_points = 1024, ring_steps = 64;
constexpr float ring_step(float left, float middle, float right) {
  return ((left + right) + (middle + middle)) * 0.25f;
}
/// The oracle: returns all rings of `blocks` pieces, one after another, `steps` steps after noise_float.
std::vector<float> rings_after(int rings, int blocks, int steps);

inline constexpr std::string_view by_neighbours = "halos from the neighbour's shared memory",
                                  by_fence = "the same, with a fence of the cluster only",
                                  by_memory = "halos through global memory", by_launches = "a launch for each step",
                                  barrier_alone = "barrier without memory order",
                                  barrier_fenced = "barrier and fence of the cluster", barrier_full = "cluster.sync()",
                                  barrier_storing = "cluster.sync() after a store";
inline constexpr int barriers = 4096;  ///< in one launch, whose start then costs about a nanosecond for each

/// Derives the conclusions from the panel "steps": ns per step over the blocks in a cluster.
std::vector<std::string> conclude_cluster(const Panels& panels);

}  // namespace poisson::lab
