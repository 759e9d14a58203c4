#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Each path of a branch is a chain of multiply-adds with its own constants.
inline constexpr int most_paths = 32, path_steps = 64, path_rounds = 16, path_threads = 256;
constexpr float path_factor(int path) {
  return 0.5f + static_cast<float>(path) / 128;
}
constexpr float path_addend(int path) {
  return 0.25f + static_cast<float>(path) / 64;
}
/// Return the path of a thread out of `paths` paths. Either the threads of a warp diverge, or different warps do.
constexpr int path_by_lane(int thread, int paths) {
  return thread % 32 % paths;
}
constexpr int path_by_warp(int thread, int paths) {
  return thread / 32 % paths;
}
constexpr float path_start(int thread) {
  return noise_float(static_cast<std::uint64_t>(thread));
}
/// The oracle returns the end of a thread's chain.
inline float path_end(int thread, int path) {
  float x = path_start(thread);
  for (int step = 0; step < path_rounds * path_steps; ++step) x = std::fma(x, path_factor(path), path_addend(path));
  return x;
}

inline constexpr std::string_view within_warps = "threads of a warp part ways", between_warps = "whole warps part ways",
                                  short_branch = "one operation in each branch";

/// Derives the conclusions from the panel "paths".
std::vector<std::string> conclude_divergence(const Panels& panels);

}  // namespace poisson::lab
