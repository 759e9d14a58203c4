#include <array>
#include <cmath>

#include "lab/harness/block_clock.cuh"
#include "lab/harness/multiprocessors.cuh"
#include "lab/page/curve.hpp"
#include "lab/studies/latency/kernels.hpp"
#include "lab/studies/latency/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

// The multiplier is an immediate operand. Two of three registers share a bank, and a warp that reads them for every
// instruction issues at half the rate. An H200 reached 63 of 128 per clock with one chain.
template <int chains>
__global__ void __launch_bounds__(most_block_threads) fma_kernel(int iterations, float* ends, BlockTime* times) {
  float x[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) x[c] = chain_start(static_cast<int>(threadIdx.x), c);
  const BlockClock clock;
  constexpr int unroll = 128 / chains;  // the loop overhead uses 2 % of the issue slots
#pragma unroll unroll
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int c = 0; c < chains; ++c) x[c] = fmaf(x[c], chain_multiplier, chain_addend);
  }
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll
  for (int c = 0; c < chains; ++c) ends[c * threads + thread] = x[c];
  clock.stop(times);
}

using FmaKernel = void (*)(int, float*, BlockTime*);
template <int... less>
constexpr std::array<FmaKernel, most_chains> kernels_by_chains(std::integer_sequence<int, less...>) {
  return {fma_kernel<less + 1>...};
}
constexpr auto fma_kernels = kernels_by_chains(std::make_integer_sequence<int, most_chains>());

// Distributes up to 32 warps per block, with one or two blocks on each multiprocessor.
struct Residency {
  int blocks_per_multiprocessor, threads;
  explicit Residency(int warps)
      : blocks_per_multiprocessor(warps > 32 ? 2 : 1), threads(warps * warp_threads / blocks_per_multiprocessor) {}
};

// Returns enough shared memory that a block that must be alone excludes a second one. Then every multiprocessor gets
// one.
int shared_memory_for(FmaKernel kernel, const Residency& residency) {
  if (residency.blocks_per_multiprocessor > 1) return 0;
  const int bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024;
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  return bytes;
}

struct ChainEnd {
  const float* ends;  ///< [chain][thread of a block]
  std::int64_t threads;
  int block_threads;
  __host__ __device__ float operator()(std::int64_t i) const {
    return ends[i / threads * most_block_threads + i % threads % block_threads];
  }
};

class Chains {
 public:
  Chains(Session& session, int multiprocessors, int iterations)
      : session_(session),
        multiprocessors_(multiprocessors),
        iterations_(iterations),
        host_ends_(chain_ends(iterations)),
        expected_(session.backend(), host_ends_),
        ends_(session.backend(), std::int64_t{2} * multiprocessors * most_block_threads * most_chains),
        times_(session.backend(), 2 * multiprocessors) {}

  Point measure(int chains, int warps) const {
    const Residency residency(warps);
    spoil(session_.backend(), ends_);
    spoil(session_.backend(), times_);
    launch(chains, residency);
    const std::int64_t threads = grid(residency) * residency.threads;
    const ChainEnd oracle{expected_.data(), threads, residency.threads};
    const std::string variant = chains_name(chains);
    session_.check(mismatches(session_.backend(), ends_, threads * chains, oracle) == 0, "latency", variant,
                   "the chains end elsewhere");
    const Timing seconds = session_.time([&] { launch(chains, residency); });
    std::vector<BlockTime> times = times_.host();
    times.resize(static_cast<std::size_t>(grid(residency)));
    return {variant, 1.0 * warps, seconds, results_per_clock(times, 1.0 * residency.threads * chains * iterations_)};
  }

  void verify_on_host(int chains, int warps) const {
    const Residency residency(warps);
    spoil(session_.backend(), ends_);
    launch(chains, residency);
    const std::vector<float> ends = ends_.host();
    const std::int64_t threads = grid(residency) * residency.threads;
    const ChainEnd oracle{host_ends_.data(), threads, residency.threads};
    bool right = true;
    for (std::int64_t i = 0; i < threads * chains; ++i) right = right && ends[static_cast<std::size_t>(i)] == oracle(i);
    session_.check(right, "latency", chains_name(chains), "the chains end elsewhere");
  }

 private:
  std::int64_t grid(const Residency& residency) const {
    return std::int64_t{multiprocessors_} * residency.blocks_per_multiprocessor;
  }
  void launch(int chains, const Residency& residency) const {
    const FmaKernel kernel = fma_kernels[static_cast<std::size_t>(chains - 1)];
    const cudaStream_t stream = stream_of(session_.backend());
    kernel<<<static_cast<unsigned>(grid(residency)), static_cast<unsigned>(residency.threads),
             static_cast<std::size_t>(shared_memory_for(kernel, residency)), stream>>>(iterations_, ends_.data(),
                                                                                       times_.data());
    cuda::launched(stream);
  }

  Session& session_;
  int multiprocessors_, iterations_;
  std::vector<float> host_ends_;
  Array<float> expected_, ends_;
  Array<BlockTime> times_;
};

Panels measure(Session& session) {
  verify_fma(session);
  verify_memory_latency(session);
  Panels panels{measure_fma(session), measure_chase(session)};
  const Panel& chase = panels.back();
  const double latency = Curve(chase, variants_of(chase).front()).last().value;
  panels.push_back(measure_in_flight(session, latency));
  return panels;
}

// Returns a quantity of the panel "fma".
template <class Of>
double of_fma(const Panels& panels, const Of& of) {
  const Panel* const panel = find_panel(panels, "fma");
  return panel ? of(*panel) : NAN;
}
double memory_clocks(const Panels& panels, const Machine& machine) {
  const Panel* const chase = find_panel(panels, "chase");
  return chase ? Curve(*chase, variants_of(*chase).front()).last().value * machine.gigahertz : NAN;
}

constexpr std::array lectures{Lecture::choi, Lecture::filipovic, Lecture::optimizing, Lecture::goeddeke};
constexpr std::array history{
    Historical{Lecture::choi, "G80", "clocks until a multiply-add returns", 24, "clocks",
               [](const Panels& panels, const Machine&) { return of_fma(panels, fma_latency); }},
    Historical{Lecture::choi, "G80", "multiply-adds that a multiprocessor's 8 cores finish per clock", 8, "per clock",
               [](const Panels& panels, const Machine&) { return of_fma(panels, sustained_fma); }},
    Historical{Lecture::choi, "G80", "threads per multiprocessor that hide it: 24 × 8", 192, "threads",
               [](const Panels& panels, const Machine&) { return of_fma(panels, threads_to_hide); }},
    Historical{Lecture::choi, "G80", "the same in warps", 6, "warps",
               [](const Panels& panels, const Machine&) { return of_fma(panels, threads_to_hide) / warp_threads; }},
    Historical{Lecture::choi, "G80", "one warp for a scheduler, two chains in it: 5 of 73 instructions", 5.0 / 73,
               "of the peak", [](const Panels& panels, const Machine&) { return of_fma(panels, share_of_two_chains); }},
    Historical{Lecture::choi, "G80", "independent chains per thread that hide it with a third of these warps", 3,
               "chains", [](const Panels& panels, const Machine&) { return of_fma(panels, chains_for_a_third); }},
    Historical{Lecture::choi, "G80", "occupancy that suffices with one chain: 6 of 24 warps", 0.25, "of the warps",
               [](const Panels& panels, const Machine&) {
                 return of_fma(panels, [](const Panel& fma) { return occupancy_that_suffices(fma, 1); });
               }},
    Historical{Lecture::choi, "G80", "occupancy that suffices with several chains: 2 of 24 warps", 2.0 / 24,
               "of the warps",
               [](const Panels& panels, const Machine&) {
                 return of_fma(panels, [](const Panel& fma) { return occupancy_that_suffices(fma, most_chains); });
               }},
    Historical{Lecture::filipovic, "compute capability 2.x", "threads per multiprocessor that hide it", 768, "threads",
               [](const Panels& panels, const Machine&) { return of_fma(panels, threads_to_hide); }},
    Historical{Lecture::filipovic, "devices of 2010", "latency of memory", 400, "clocks", memory_clocks, 600},
    Historical{Lecture::optimizing, "devices of that course", "latency of memory", 400, "clocks", memory_clocks, 800},
    Historical{Lecture::goeddeke, "rule of thumb", "operations per read that hide its latency, with all warps", 7,
               "operations",
               [](const Panels& panels, const Machine& machine) { return memory_clocks(panels, machine) / 16; }},
};

}  // namespace

Panel measure_fma(Session& session) {
  const Chains measured(session, multiprocessors(), chain_iterations);
  Panel panel{"fma",
              "Chains of dependent multiply-adds, fp32",
              "warps per multiprocessor",
              "multiply-adds per clock and multiprocessor",
              true,
              true};
  const std::vector<int> warps = session.quick()
                                     ? std::vector{1, 2, 4, 8, 16, 32, 64}
                                     : std::vector{1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64};
  for (int chains = 1; chains <= most_chains; chains = session.quick() ? 2 * chains : chains + 1)
    for (const int w : warps) panel.points.push_back(measured.measure(chains, w));
  panel.guides = fma_guides(panel);
  return panel;
}

void verify_fma(Session& session) {
  for (const int iterations : {1, 16, 37}) {
    const Chains chains(session, 3, iterations);
    for (int c = 1; c <= most_chains; ++c)
      for (const int warps : {1, 3, 32, 34}) chains.verify_on_host(c, warps);
  }
}

const Study latency_study{
    .name = "latency",
    .question = "How much must be in flight to hide the latency of a single result?",
    .lectures = lectures,
    .measure = measure,
    .conclude = conclude_latency,
    .history = history,
};

}  // namespace poisson::lab
