#include <array>
#include <cmath>
#include <utility>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/occupancy/kernels.hpp"
#include "lab/studies/occupancy/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 256;

// A kernel needs these registers besides the sums, for addresses, counters and words in flight.
constexpr int besides = 16;

// Uses `registers` registers per thread. The loop keeps all but a few of them as sums and adds to each in turn; a bound
// stops the compiler from using more. A batch of in_flight loads must arrive before the next one is issued, because its
// address depends on their topmost bit. That bit is 0, which the compiler cannot know.
template <int registers, int in_flight>
__global__ void __maxnreg__(registers) hold_kernel(const std::uint32_t* words, unsigned count, std::uint32_t* sums) {
  constexpr int live = registers - besides;
  static_assert(live % in_flight == 0);
  const unsigned thread = blockIdx.x * threads + threadIdx.x, step = gridDim.x * threads;
  std::uint32_t sum[live] = {};
  unsigned i = thread;
  while (i < count) {
#pragma unroll
    for (int k = 0; k < live; k += in_flight) {
      std::uint32_t word[in_flight];
#pragma unroll
      for (int l = 0; l < in_flight; ++l) word[l] = i + l * step < count ? words[i + l * step] : 0;
#pragma unroll
      for (int l = 0; l < in_flight; ++l) sum[k + l] += word[l];
      i += in_flight * step + (word[in_flight - 1] >> 31);
    }
  }
  std::uint32_t all = 0;
#pragma unroll
  for (int k = 0; k < live; ++k) all += (2 * k + 1) * sum[k];
  sums[thread] = all;
}

using HoldKernel = void (*)(const std::uint32_t*, unsigned, std::uint32_t*);
// The counts are on both sides of every step of the resident warps of blocks of 256 threads.
constexpr std::array register_counts{24, 32, 40, 48, 56, 64, 72, 80, 88, 128, 136, 248};
constexpr std::size_t kernel_count = register_counts.size();

template <int in_flight, std::size_t... i>
constexpr std::array<HoldKernel, kernel_count> by_registers(std::index_sequence<i...>) {
  return {hold_kernel<register_counts[i], in_flight>...};
}
constexpr auto kernel_numbers = std::make_index_sequence<kernel_count>();

struct Holding {
  const char* name;
  std::array<HoldKernel, kernel_count> kernels;  // by register_counts
};
constexpr std::array holdings{
    Holding{"one load in flight", by_registers<1>(kernel_numbers)},
    Holding{"4 loads in flight", by_registers<4>(kernel_numbers)},
};
// Contains the registers that the compiler assigns to a kernel, and the blocks that fit on a multiprocessor.
struct Occupancy {
  int registers = 0, blocks = 0;
  explicit Occupancy(HoldKernel kernel) {
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, kernel));
    registers = attributes.numRegs;
    cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  }
};

void launch(Backend& backend, HoldKernel kernel, int blocks, const Array<std::uint32_t>& words,
            const Array<std::uint32_t>& sums) {
  const cudaStream_t stream = stream_of(backend);
  kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(words.data(), static_cast<unsigned>(words.size()),
                                                                sums.data());
  cuda::launched(stream);
}

RegisterFile register_file() {
  constexpr int unit = 256, partitions = 4;  // compute capability ≥ 7.0
  return {device_attribute(cudaDevAttrMaxRegistersPerMultiprocessor), unit, partitions,
          device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 32,
          device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor)};
}

Panels measure(Session& session) {
  verify_occupancy(session);
  verify_residency(session);
  Backend& backend = session.backend();
  const double copy = 1e-9 * session.copy_bandwidth();
  const int processors = multiprocessors();
  const RegisterFile file = register_file();
  const Array<std::uint32_t> words(backend,
                                   static_cast<std::int64_t>(session.beyond_caches() / 4 / sizeof(std::uint32_t)));
  const Array<std::uint32_t> sums(backend, std::int64_t{processors} * file.most_warps * 32);
  fill(backend, words, HeldWord{});

  Panel resident{"resident", "Warps that are resident at once, in blocks of 256 threads", "registers per thread",
                 "resident warps per multiprocessor"};
  Panel throughput{"throughput", "Reading memory with as many warps as fit", "registers per thread", "GB/s"};
  for (const Holding& holding : holdings)
    for (std::size_t k = 0; k < kernel_count; ++k) {
      const HoldKernel kernel = holding.kernels[k];
      const Occupancy occupancy(kernel);
      const int blocks = processors * occupancy.blocks;
      const std::int64_t grid = std::int64_t{blocks} * threads;
      spoil(backend, sums);
      launch(backend, kernel, blocks, words, sums);
      session.check(mismatches(backend, sums, grid, HeldSum{words.size(), grid, register_counts[k] - besides}) == 0,
                    "occupancy", holding.name, "sums differ");
      const Timing seconds = session.time([&] { launch(backend, kernel, blocks, words, sums); });
      const double x = occupancy.registers,
                   bytes = static_cast<double>(words.bytes()) + 4.0 * static_cast<double>(grid);
      resident.points.push_back({holding.name, x, seconds, occupancy.blocks * threads / 32.0});
      throughput.points.push_back({holding.name, x, seconds, 1e-9 * bytes / seconds});
    }
  Guide predicted{"what the register file holds", {}};
  for (int registers = 8; registers <= 255; ++registers)
    predicted.points.push_back({1.0 * registers, resident_blocks(file, registers, threads) * threads / 32.0});
  resident.guides = {predicted};
  throughput.guides = proportional_guides(throughput, resident);
  throughput.guides.push_back({"device copy", {{16, copy}}});
  Panels panels{resident, throughput};
  for (Panel& panel : measure_residency(session)) panels.push_back(std::move(panel));
  return panels;
}

// Returns the predicted number of resident blocks of 256 threads on this device, the lecture's block size.
double blocks_held(const Panels& panels, double registers) {
  const Panel* const resident = find_panel(panels, "resident");
  if (resident)
    for (const auto& [x, warps] : resident->guides.front().points)
      if (x == registers) return warps * 32 / threads;
  return NAN;
}
double threads_in_blocks(const Panels& panels, double of) {
  return 32 * value_in(panels, "block-size", resident_warps, of);
}

// Returns the largest number of registers that resident warps were seen to use.
double registers_held(const Panels& panels, const Machine&) {
  const Panel* const resident = find_panel(panels, "resident");
  double most = NAN;
  if (resident)
    for (const Point& point : resident->points) most = std::fmax(most, point.value * 32 * point.x);
  return most;
}
// Returns the KiB of shared memory in the largest blocks that ran.
double shared_by_a_block(const Panels& panels, const Machine&) {
  const Panel* const shared = find_panel(panels, "shared-memory");
  return shared && !shared->points.empty() ? places(*shared).back() / 1024 : NAN;
}

constexpr std::array lectures{Lecture::optimizing, Lecture::choi};
constexpr std::array history{
    Historical{Lecture::optimizing, "G80", "blocks of 256 threads with 10 registers each on a multiprocessor", 3,
               "blocks", [](const Panels& panels, const Machine&) { return blocks_held(panels, 10); }},
    Historical{Lecture::optimizing, "G80", "blocks of 256 threads with 11 registers each on a multiprocessor", 2,
               "blocks", [](const Panels& panels, const Machine&) { return blocks_held(panels, 11); }},
    Historical{Lecture::optimizing, "G80", "threads of a multiprocessor in blocks of 96 (8 × 96)", 768, "threads",
               [](const Panels& panels, const Machine&) { return threads_in_blocks(panels, 96); }},
    Historical{Lecture::optimizing, "G80", "threads of a multiprocessor in blocks of 192 (4 × 192)", 768, "threads",
               [](const Panels& panels, const Machine&) { return threads_in_blocks(panels, 192); }},
    Historical{Lecture::optimizing, "G80", "blocks on a multiprocessor, at most", 8, "blocks",
               [](const Panels& panels, const Machine&) { return threads_in_blocks(panels, 32) / 32; }},
    Historical{Lecture::optimizing, "G80", "registers of a multiprocessor", 8192, "registers", registers_held},
    Historical{Lecture::optimizing, "G80", "shared memory for a block", 16, "KiB", shared_by_a_block},
    Historical{Lecture::choi, "G80", "warps that fit a multiprocessor", 24, "warps",
               [](const Panels& panels, const Machine&) { return highest_in(panels, "block-size", resident_warps); }},
};

}  // namespace

void verify_occupancy(Session& session) {
  Backend& backend = session.backend();
  for (const std::int64_t count : {1, 777, 100003}) {
    const Array<std::uint32_t> words(backend, count);
    fill(backend, words, HeldWord{});
    for (const int blocks : {1, 3}) {
      const Array<std::uint32_t> sums(backend, blocks * threads);
      for (const Holding& holding : holdings)
        for (std::size_t k = 0; k < kernel_count; ++k) {
          spoil(backend, sums);
          launch(backend, holding.kernels[k], blocks, words, sums);
          session.check(mismatches_on_host(sums, HeldSum{count, sums.size(), register_counts[k] - besides}) == 0,
                        "occupancy", holding.name, "sums differ");
        }
    }
  }
}

const Study occupancy_study{
    .name = "occupancy",
    .question = "What do registers, block sizes and shared memory cost in resident warps, and those in throughput?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine& machine) { return conclude_occupancy(panels, machine.copy); },
    .history = history,
};

}  // namespace poisson::lab
