// Measures the cost of branches that the threads of a warp do not share.

#include <algorithm>
#include <array>
#include <vector>

#include "lab/harness/block_clock.cuh"
#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/divergence/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

// Runs the chain of path p. The constants are immediate operands, so every path has its own code.
template <int p>
__device__ void follow(float& x, int path, int steps) {
  if (path == p) {
#pragma unroll 16
    for (int step = 0; step < steps; ++step) x = fmaf(x, path_factor(p), path_addend(p));
  } else if constexpr (p + 1 < most_paths) {
    follow<p + 1>(x, path, steps);
  }
}

// The lane or the warp of a thread selects its path. Each round executes a branch of path_steps operations.
template <bool by_lane>
__global__ void __launch_bounds__(path_threads)
    path_kernel(int paths, int rounds, int steps, float* ends, BlockTime* times) {
  const int thread = static_cast<int>(threadIdx.x);
  const int path = by_lane ? path_by_lane(thread, paths) : path_by_warp(thread, paths);
  float x = path_start(thread);
  const BlockClock clock;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) follow<0>(x, path, steps);
  ends[std::int64_t{blockIdx.x} * path_threads + threadIdx.x] = x;
  clock.stop(times);
}

struct Variant {
  std::string_view name;
  bool by_lane;
  int steps;  // in each branch
};
constexpr std::array variants{Variant{within_warps, true, path_steps}, Variant{between_warps, false, path_steps},
                              Variant{short_branch, true, 1}};

Point measure_paths(Session& session, const Variant& variant, int paths) {
  Backend& backend = session.backend();
  const int blocks = 8 * multiprocessors(), rounds = path_rounds * path_steps / variant.steps;
  const Array<float> ends(backend, std::int64_t{blocks} * path_threads);
  const Array<BlockTime> times(backend, blocks);
  spoil(backend, ends);
  const cudaStream_t stream = stream_of(backend);
  const Timing seconds = session.time([&] {
    const auto kernel = variant.by_lane ? path_kernel<true> : path_kernel<false>;
    kernel<<<static_cast<unsigned>(blocks), path_threads, 0, stream>>>(paths, rounds, variant.steps, ends.data(),
                                                                       times.data());
    cuda::launched(stream);
  });
  std::vector<float> expected;
  for (int t = 0; t < path_threads; ++t)
    expected.push_back(path_end(t, variant.by_lane ? path_by_lane(t, paths) : path_by_warp(t, paths)));
  const auto oracle = [&](std::int64_t i) { return expected[static_cast<std::size_t>(i % path_threads)]; };
  session.check(mismatches_on_host(ends, oracle) == 0, "divergence", variant.name, "a chain ends elsewhere");
  const double results = double{path_threads} * path_rounds * path_steps;
  return {std::string(variant.name), static_cast<double>(paths), seconds, results_per_clock(times.host(), results)};
}

Panels measure(Session& session) {
  Panel panel{"paths", "Multiply-adds behind a branch", "paths", "results per clock per multiprocessor", true, true};
  for (const Variant& variant : variants)
    for (int paths = 1; paths <= most_paths; paths *= session.quick() ? 4 : 2)
      panel.points.push_back(measure_paths(session, variant, paths));
  Guide inverse{"one path after the other", {}};
  const double alone = panel.points.front().value;
  for (int paths = 1; paths <= most_paths; paths *= 2)
    inverse.points.push_back({static_cast<double>(paths), alone / paths});
  panel.guides = {inverse};
  return {panel};
}

constexpr std::array lectures{Lecture::optimizing};

}  // namespace

const Study divergence_study{
    .name = "divergence",
    .question = "What does it cost when threads take different branches?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_divergence(panels); },
};

}  // namespace poisson::lab
