#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// A working set of 2^k words of 8 bytes, word i being noise(i), read again and again: what it adds up to modulo 2^64.
constexpr std::uint64_t cached_word(std::int64_t i) {
  return noise(static_cast<std::uint64_t>(i));
}

/// One way to read a working set; the sums that it leaves add up to `expected`.
struct ReadingWay {
  std::string_view name;
  /// Reads about `bytes` bytes in all from a set of `words` words at `data`, and returns how many words those were:
  /// every word of the set equally often.
  std::int64_t (*read)(Backend&, const std::uint64_t* data, std::int64_t words, double bytes, std::uint64_t* sums);
};
/// Sums that a way may leave: their number.
inline constexpr std::int64_t most_sums = 1 << 20;

/// All threads of the host, each with its part of the set.
std::span<const ReadingWay> cpu_reading_ways();
/// By the first-level cache and past it. In builds with CUDA.
std::span<const ReadingWay> gpu_reading_ways();

/// The largest set of a panel "working-set" that is nearer to the cache than to the memory, on a logarithmic scale; NaN
/// where the way was not measured.
double held_bytes(const Panel& panel, std::string_view way);

/// The ways of a GPU.
inline constexpr std::string_view by_first_level = "through the first-level cache",
                                  by_shared_level = "past it, from the shared one";

/// What the panel "working-set" says: GB/s over the bytes of the set; one variant for each way.
std::vector<std::string> conclude_cache(const Panels& panels);

}  // namespace poisson::lab
