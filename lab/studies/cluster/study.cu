// Clusters of blocks share barriers and shared memory (compute capability 9.0 or newer).

#include <algorithm>
#include <array>
#include <vector>

#include <cooperative_groups.h>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/cluster/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

namespace cg = cooperative_groups;

constexpr int threads = 256, most_blocks = 8;

__device__ void step_within(const float* u, float* next, float left, float right) {
  for (int i = static_cast<int>(threadIdx.x); i < piece_points; i += threads)
    next[i] = ring_step(i > 0 ? u[i - 1] : left, u[i], i < piece_points - 1 ? u[i + 1] : right);
}

// Synchronizes a cluster. cluster.sync() makes all earlier writes visible, those to global memory too. With a fence of
// the cluster's scope and a relaxed arrival only the cluster's own order is asked for.
enum class Order { none, fenced, full };
template <Order order>
__device__ void cluster_barrier() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if constexpr (order == Order::full) {
    cg::this_cluster().sync();
  } else {
    if constexpr (order == Order::fenced) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  }
#endif
}

// Passes `count` barriers and does nothing else, except that with `storing` each block stores a word before each.
template <Order order, bool storing>
__global__ void __launch_bounds__(threads) barrier_kernel(int count, unsigned* passed) {
  unsigned number = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    ++number;
    if (storing && threadIdx.x == 0) *static_cast<volatile unsigned*>(passed + blockIdx.x) = number;
    cluster_barrier<order>();
  }
  if (threadIdx.x == 0) passed[blockIdx.x] = number;
}

// Runs all steps in one launch. Halo points come from the shared memory of the neighbours, or from global memory, where
// each block stores its own end points. A barrier of the cluster follows every step.
template <bool distributed, Order order>
__global__ void __launch_bounds__(threads) ring_kernel(float* points, float* ends, int steps) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ float pieces[2][piece_points];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank();
  const unsigned before = (rank + blocks - 1) % blocks, behind = (rank + 1) % blocks;
  const unsigned first = blockIdx.x - rank;  // first in cluster
  float* const own = points + std::int64_t{blockIdx.x} * piece_points;
  for (int i = static_cast<int>(threadIdx.x); i < piece_points; i += threads) pieces[0][i] = own[i];
  // The index is [buffer][block][side].
  const auto end = [&](int turn, unsigned block, int side) -> volatile float& {
    return ends[(std::int64_t{turn} * gridDim.x + first + block) * 2 + side];
  };
  __syncthreads();
  if (!distributed && threadIdx.x < 2) {
    end(0, rank, static_cast<int>(threadIdx.x)) = pieces[0][threadIdx.x == 0 ? 0 : piece_points - 1];
    __threadfence();
  }
  cluster.sync();
  for (int step = 0; step < steps; ++step) {
    const int turn = step % 2;
    float left = 0, right = 0;
    if constexpr (distributed) {
      left = cluster.map_shared_rank(&pieces[turn][0], before)[piece_points - 1];
      right = cluster.map_shared_rank(&pieces[turn][0], behind)[0];
    } else {
      left = end(turn, before, 1);
      right = end(turn, behind, 0);
    }
    step_within(pieces[turn], pieces[1 - turn], left, right);
    if constexpr (!distributed) {
      __syncthreads();
      if (threadIdx.x < 2) {
        end(1 - turn, rank, static_cast<int>(threadIdx.x)) = pieces[1 - turn][threadIdx.x == 0 ? 0 : piece_points - 1];
        __threadfence();
      }
    }
    cluster_barrier<order>();  // the last barrier keeps blocks alive until no neighbour reads their memory
  }
  for (int i = static_cast<int>(threadIdx.x); i < piece_points; i += threads) own[i] = pieces[steps % 2][i];
#endif
}

// Runs one step from memory to memory, on rings of `blocks` pieces.
__global__ void __launch_bounds__(threads) step_kernel(const float* from, float* to, int blocks) {
  const unsigned rank = blockIdx.x % static_cast<unsigned>(blocks), first = blockIdx.x - rank;
  const unsigned before = first + (rank + static_cast<unsigned>(blocks) - 1) % static_cast<unsigned>(blocks),
                 behind = first + (rank + 1) % static_cast<unsigned>(blocks);
  const std::int64_t own = std::int64_t{blockIdx.x} * piece_points;
  step_within(from + own, to + own, from[std::int64_t{before} * piece_points + piece_points - 1],
              from[std::int64_t{behind} * piece_points]);
}

template <class... Parameters, class... Arguments>
void launch_clusters(Backend& backend, int clusters, int blocks, void (*kernel)(Parameters...),
                     Arguments... arguments) {
  const cudaStream_t stream = stream_of(backend);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(clusters * blocks));
  launch.blockDim = dim3(threads);
  launch.stream = stream;
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  cuda::check(cudaLaunchKernelEx(&launch, kernel, arguments...));
  cuda::launched(stream);
}

class Rings {
 public:
  Rings(Session& session, int rings, int blocks)
      : session_(session),
        rings_(rings),
        blocks_(blocks),
        start_(session.backend(), std::int64_t{rings} * blocks * piece_points),
        points_(session.backend(), start_.size()),
        other_(session.backend(), start_.size()),
        ends_(session.backend(), std::int64_t{4} * rings * blocks) {
    fill(session.backend(), start_, NoiseFloat{});
  }

  void advance(std::string_view variant, int steps) const {
    if (variant == by_launches)
      launch_steps(steps);
    else if (variant == by_fence)
      launch_cluster(ring_kernel<true, Order::fenced>, steps);
    else
      launch_cluster(variant == by_neighbours ? ring_kernel<true, Order::full> : ring_kernel<false, Order::full>,
                     steps);
  }

  void verify(std::string_view variant, int steps) const {
    Backend& backend = session_.backend();
    spoil(backend, other_);
    cuda::check(
        cudaMemcpyAsync(points_.data(), start_.data(), start_.bytes(), cudaMemcpyDeviceToDevice, stream_of(backend)));
    advance(variant, steps);
    const std::vector<float> expected = rings_after(rings_, blocks_, steps);
    const auto oracle = [&](std::int64_t i) { return expected[static_cast<std::size_t>(i)]; };
    const Array<float>& result = variant == by_launches && steps % 2 != 0 ? other_ : points_;
    session_.check(mismatches_on_host(result, oracle) == 0, "cluster", variant,
                   "rings of " + std::to_string(blocks_) + " blocks end elsewhere");
  }

  Point measure(std::string_view variant) const {
    verify(variant, ring_steps);
    // Steps keep values in [0, 1), so a call may continue from the result of the last one.
    const Timing seconds = session_.time([&] { advance(variant, ring_steps); });
    return {std::string(variant), static_cast<double>(blocks_), seconds, 1e9 * seconds / ring_steps};
  }

 private:
  using RingKernel = void (*)(float*, float*, int);

  void launch_cluster(RingKernel kernel, int steps) const {
    launch_clusters(session_.backend(), rings_, blocks_, kernel, points_.data(), ends_.data(), steps);
  }
  void launch_steps(int steps) const {
    const cudaStream_t stream = stream_of(session_.backend());
    float *from = points_.data(), *to = other_.data();
    for (int step = 0; step < steps; ++step) {
      step_kernel<<<static_cast<unsigned>(rings_ * blocks_), threads, 0, stream>>>(from, to, blocks_);
      cuda::launched(stream);
      std::swap(from, to);
    }
  }

  Session& session_;
  int rings_, blocks_;
  Array<float> start_, points_, other_, ends_;
};

struct BarrierKind {
  std::string_view name;
  void (*kernel)(int count, unsigned* passed);
};

Panel measure_barriers(Session& session) {
  constexpr std::array kinds{BarrierKind{barrier_alone, barrier_kernel<Order::none, false>},
                             BarrierKind{barrier_fenced, barrier_kernel<Order::fenced, false>},
                             BarrierKind{barrier_full, barrier_kernel<Order::full, false>},
                             BarrierKind{barrier_storing, barrier_kernel<Order::full, true>}};
  Panel panel{"barriers", "Barriers of a cluster without any work", "blocks in a cluster", "ns per barrier", true,
              false};
  for (int blocks = 1; blocks <= most_blocks; blocks *= 2)
    for (const BarrierKind& kind : kinds) {
      const int clusters = std::max(1, multiprocessors() / blocks);
      const Array<unsigned> passed(session.backend(), std::int64_t{clusters} * blocks);
      const auto pass = [&] {
        launch_clusters(session.backend(), clusters, blocks, kind.kernel, barriers, passed.data());
      };
      spoil(session.backend(), passed);
      pass();
      const std::vector<unsigned> counts = passed.host();
      session.check(std::ranges::count(counts, static_cast<unsigned>(barriers)) == passed.size(), "cluster", kind.name,
                    "a block passed another number of barriers");
      const Timing seconds = session.time(pass);
      panel.points.push_back({std::string(kind.name), 1.0 * blocks, seconds, 1e9 * seconds / barriers});
    }
  return panel;
}

Panels measure(Session& session) {
  Panel panel{"steps",
              "Jacobi steps on rings of 1024 points for each block, as many blocks as multiprocessors",
              "blocks in a cluster",
              "ns per step",
              true,
              true};
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 9) return {panel};  // without clusters there are no points
  constexpr std::array variants{by_neighbours, by_fence, by_memory, by_launches};
  for (const int blocks : {1, 2, 3, most_blocks})
    for (const std::string_view variant : variants)
      for (const int steps : {1, 2, 7}) Rings(session, 3, blocks).verify(variant, steps);
  for (int blocks = 1; blocks <= most_blocks; blocks *= 2) {
    const Rings rings(session, std::max(1, multiprocessors() / blocks), blocks);
    for (const std::string_view variant : variants) panel.points.push_back(rings.measure(variant));
  }
  return {panel, measure_barriers(session)};
}

constexpr std::array lectures{Lecture::today};
constexpr std::array additions{Addition{"steps", by_fence, "fences of a cluster"},
                               Addition{"barriers", "", "barriers of a cluster alone"}};

}  // namespace

const Study cluster_study{
    .name = "cluster",
    .question = "What do clusters of blocks save if steps follow each other on a small grid?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_cluster(panels); },
    .additions = additions,
};

}  // namespace poisson::lab
