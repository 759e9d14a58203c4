#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// The registers of a multiprocessor, and what it takes at most. A warp gets its registers in whole units and from one
/// of the partitions.
struct RegisterFile {
  int registers = 0, unit = 0, partitions = 1, most_warps = 0, most_blocks = 0;
};

/// The prediction: how many blocks of `threads` threads (whole warps) with so many registers each are resident at once.
constexpr int resident_blocks(const RegisterFile& file, int registers, int threads) {
  const int warps = threads / 32, per_warp = (32 * registers + file.unit - 1) / file.unit * file.unit;
  const int fitting = file.registers / file.partitions / per_warp * file.partitions;
  return std::min({fitting / warps, file.most_warps / warps, file.most_blocks});
}

/// What the kernels read: random words below 2^31.
struct HeldWord {
  constexpr std::uint32_t operator()(std::uint64_t i) const { return noise(i) >> 1; }
};

/// The oracle: a thread takes the words thread, thread + threads, … below `count`, adds them to `held` sums in turn,
/// and ends with Σ (2k + 1) sum_k modulo 2^32: every word counts, and in which sum it was.
struct HeldSum {
  std::int64_t count = 0, threads = 0;
  int held = 0;
  constexpr std::uint32_t operator()(std::int64_t thread) const {
    std::uint32_t sum = 0, turn = 0;
    for (std::int64_t i = thread; i < count; i += threads) {
      sum += (2 * turn + 1) * HeldWord{}(static_cast<std::uint64_t>(i));
      turn = turn + 1 == static_cast<std::uint32_t>(held) ? 0 : turn + 1;
    }
    return sum;
  }
};

/// The variants of the panels "block-size" and "shared-memory", and of those with "-copy" behind.
inline constexpr const char *resident_warps = "counted", *predicted_warps = "predicted by the runtime",
                            *copied = "copy";

/// For each variant of a panel "throughput": its largest value, shrunk as the warps of the panel "resident" become
/// fewer. What a kernel loses where nothing but warps hides latency.
std::vector<Guide> proportional_guides(const Panel& throughput, const Panel& resident);

/// What the panels "resident" and "throughput" say; `copy`: the bandwidth of a copy in GB/s.
std::vector<std::string> conclude_occupancy(const std::vector<Panel>& panels, double copy);

}  // namespace poisson::lab
