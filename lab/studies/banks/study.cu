#include <array>
#include <numeric>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/banks/kernels.hpp"
#include "lab/studies/banks/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

struct Lanes {
  std::uint16_t element[warp_lanes];
};

// Each lane reads its element and the `successive` − 1 elements behind it, `rounds` times. The pointer is volatile, so
// that the reads are neither merged nor reordered. The clocks of a block run from the time when all its warps are ready
// until all have their sums.
template <class T>
__global__ void __launch_bounds__(most_warps* warp_lanes)
    shared_kernel(Lanes lanes, int rounds, T* sums, long long* clocks) {
  __shared__ T elements[shared_elements];
  for (int i = static_cast<int>(threadIdx.x); i < shared_elements; i += static_cast<int>(blockDim.x))
    elements[i] = shared_element<T>(i);
  const volatile T* const mine = elements + lanes.element[threadIdx.x % warp_lanes] + threadIdx.x / warp_lanes;
  __syncthreads();
  const long long start = clock64();
  T sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < successive; ++k) sum += mine[k];
  }
  sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
}

// Launches blocks of `warps` warps, one block for every multiprocessor.
template <class T>
class SharedReads {
 public:
  SharedReads(Session& session, int blocks, int warps, int rounds)
      : session_(session),
        blocks_(blocks),
        warps_(warps),
        rounds_(rounds),
        sums_(session.backend(), std::int64_t{blocks} * warps * warp_lanes),
        clocks_(session.backend(), blocks) {}

  void launch(const LaneElements& lanes) const {
    Lanes argument;
    std::copy(lanes.begin(), lanes.end(), argument.element);
    const cudaStream_t stream = stream_of(session_.backend());
    shared_kernel<T><<<static_cast<unsigned>(blocks_), static_cast<unsigned>(warps_ * warp_lanes), 0, stream>>>(
        argument, rounds_, sums_.data(), clocks_.data());
    cuda::launched(stream);
  }

  void verify(const LaneElements& lanes, std::string_view variant) const {
    spoil(session_.backend(), sums_);
    launch(lanes);
    const int threads = warps_ * warp_lanes;
    std::vector<T> expected;
    for (int thread = 0; thread < threads; ++thread)
      expected.push_back(lane_sum<T>(lanes, thread % warp_lanes, thread / warp_lanes, rounds_));
    const auto oracle = [&](std::int64_t i) { return expected[static_cast<std::size_t>(i % threads)]; };
    session_.check(mismatches_on_host(sums_, oracle) == 0, "banks", variant, "sums differ");
  }

  /// Verifies and then times a pattern. The value is in clocks per access of a warp.
  Point measure(const LaneElements& lanes, const std::string& variant, double x) const {
    verify(lanes, variant);
    const Timing seconds = session_.time([&] { launch(lanes); });
    return {variant, x, seconds, median_clocks(clocks_.host()) / (1.0 * warps_ * rounds_ * successive)};
  }

 private:
  Session& session_;
  int blocks_, warps_, rounds_;
  Array<T> sums_;
  Array<long long> clocks_;
};

constexpr int most_stride = 33, timed_rounds = 64;

template <class T>
void measure_strides(Session& session, Panel& panel) {
  const SharedReads<T> reads(session, multiprocessors(), most_warps, timed_rounds);
  const std::string bytes = std::to_string(sizeof(T)) + " bytes";
  Guide guide{bytes + ": passes over the banks", {}};
  for (int stride = 1; stride <= most_stride; ++stride) {
    const LaneElements lanes = strided_lanes(stride);
    panel.points.push_back(reads.measure(lanes, bytes, stride));
    guide.points.push_back({1.0 * stride, 1.0 * predicted_passes(lanes, sizeof(T))});
  }
  panel.guides.push_back(guide);
}

Panel measure_lane_patterns(Session& session) {
  Panel panel{"patterns", "Ways to read a tile of 32 × 32 words", "predicted passes over the banks",
              "clocks per access of a warp"};
  panel.log_y = panel.bars = true;
  const SharedReads<std::uint32_t> reads(session, multiprocessors(), most_warps, timed_rounds);
  for (const LanePattern& pattern : lane_patterns()) {
    const LaneElements lanes = pattern.lanes();
    panel.points.push_back(reads.measure(lanes, pattern.name, predicted_passes(lanes, bank_bytes)));
  }
  return panel;
}

template <class T>
void verify_element(Session& session) {
  for (const auto [blocks, warps, rounds] : {std::array{1, 1, 1}, {3, 5, 2}, {2, most_warps, 7}}) {
    const SharedReads<T> reads(session, blocks, warps, rounds);
    for (int stride = 1; stride <= most_stride; ++stride) reads.verify(strided_lanes(stride), "strides");
    for (const LanePattern& pattern : lane_patterns()) reads.verify(pattern.lanes(), pattern.name);
  }
}

Panels measure(Session& session) {
  verify_banks(session);
  Panel strides{"strides", "Lane i of a warp reads element i × stride of shared memory", "stride (elements)",
                "clocks per access of a warp"};
  measure_strides<std::uint32_t>(session, strides);
  measure_strides<std::uint64_t>(session, strides);
  return {strides, measure_lane_patterns(session)};
}

constexpr std::array lectures{Lecture::filipovic, Lecture::optimizing};
constexpr std::array history{
    Historical{Lecture::filipovic, "16 banks, requests of half a warp", "passes of an odd stride (3)", 1, "pass",
               [](const Panels& panels, const Machine&) { return value_in(panels, "strides", "4 bytes", 3); }},
    Historical{Lecture::filipovic, "16 banks, requests of half a warp", "passes of all lanes in one bank", 16, "passes",
               [](const Panels& panels, const Machine&) { return value_in(panels, "strides", "4 bytes", bank_count); }},
    Historical{
        Lecture::filipovic, "16 banks, requests of half a warp", "passes of a broadcast", 1, "pass",
        [](const Panels& panels, const Machine&) { return bar_in(panels, "patterns", "broadcast of one word"); }},
};

}  // namespace

void verify_banks(Session& session) {
  verify_element<std::uint32_t>(session);
  verify_element<std::uint64_t>(session);
}

const Study banks_study{
    .name = "banks",
    .question = "Which strides make the lanes of a warp queue for shared memory?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_banks(panels); },
    .history = history,
};

}  // namespace poisson::lab
