#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Describes the registers of a multiprocessor and its limits. A warp gets its registers in multiples of `unit` and
/// from one of the partitions.
struct RegisterFile {
  int registers = 0, unit = 0, partitions = 1, most_warps = 0, most_blocks = 0;
};

/// Returns the predicted number of resident blocks of `threads` threads (full warps) with `registers` registers each.
constexpr int resident_blocks(const RegisterFile& file, int registers, int threads) {
  const int warps = threads / 32, per_warp = (32 * registers + file.unit - 1) / file.unit * file.unit;
  const int fitting = file.registers / file.partitions / per_warp * file.partitions;
  return std::min({fitting / warps, file.most_warps / warps, file.most_blocks});
}

/// Generates the words that kernels read: random and below 2^31.
struct HeldWord {
  constexpr std::uint32_t operator()(std::uint64_t i) const { return noise(i) >> 1; }
};

/// Is the oracle of one thread. The thread reads the words thread, thread + threads, … below `count`, adds them
/// cyclically to `live` sums, and returns Σ (2k + 1) sum_k modulo 2^32. The result depends on every word and on its
/// sum.
struct HeldSum {
  std::int64_t count = 0, threads = 0;
  int live = 0;
  constexpr std::uint32_t operator()(std::int64_t thread) const {
    std::uint32_t sum = 0, turn = 0;
    for (std::int64_t i = thread; i < count; i += threads) {
      sum += (2 * turn + 1) * HeldWord{}(static_cast<std::uint64_t>(i));
      turn = turn + 1 == static_cast<std::uint32_t>(live) ? 0 : turn + 1;
    }
    return sum;
  }
};

/// The panels "block-size" and "shared-memory" have the first two variants; "block-size-copy" and "shared-memory-copy"
/// have the last one.
inline constexpr const char *resident_warps = "counted", *predicted_warps = "predicted by the runtime",
                            *copied = "copy";

/// Returns, for each variant of a panel "throughput", its largest value scaled by the warps of the panel "resident". A
/// kernel loses that much if only warps hide latency.
std::vector<Guide> proportional_guides(const Panel& throughput, const Panel& resident);

/// Derives the conclusions from the panels "resident" and "throughput", given the bandwidth of a copy in GB/s.
std::vector<std::string> conclude_occupancy(const std::vector<Panel>& panels, double copy);

}  // namespace poisson::lab
