#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/reading_again.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// A working set of 2^k words of 8 bytes, word i being noise(i), read again and again: what it adds up to modulo 2^64.
constexpr std::uint64_t cached_word(std::int64_t i) {
  return noise(static_cast<std::uint64_t>(i));
}

/// All threads of the host, each with its part of the set.
std::span<const ReadingWay> cpu_reading_ways();

/// The largest set of a panel "working-set" that is nearer to the cache than to the memory, on a logarithmic scale; NaN
/// where the way was not measured.
double held_bytes(const Panel& panel, std::string_view way);

/// What the panel "working-set" says: GB/s over the bytes of the set; one variant for each way.
std::vector<std::string> conclude_cache(const Panels& panels);

}  // namespace poisson::lab
