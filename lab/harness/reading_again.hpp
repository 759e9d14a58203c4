#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
#include "lab/harness/array.hpp"
#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Defines a way to read a working set of 8-byte words repeatedly. The sums that it leaves add up to all words that it
/// has read, modulo 2^64.
struct ReadingWay {
  std::string_view name;
  /// Reads about `bytes` bytes from a set of `words` words at `data`, every word equally often. Returns the number of
  /// words read.
  std::int64_t (*read)(Backend&, const std::uint64_t* data, std::int64_t words, double bytes, std::uint64_t* sums);
};
/// The largest number of sums that a way may leave.
inline constexpr std::int64_t most_sums = 1 << 20;

/// Returns the words to read: word i is noise(i).
std::vector<std::uint64_t> words_to_read(std::int64_t number);
/// Fails if a way does not read each of the first words of `set` equally often.
void verify(Session& session, std::string_view study, const ReadingWay& way, const Array<std::uint64_t>& set,
            std::span<const std::uint64_t> words, double bytes, const Array<std::uint64_t>& sums);

/// Returns the ways of a GPU (builds with CUDA): through L1 and past it. Every multiprocessor reads the whole set or an
/// equal share of it. The set must be a multiple of 8 KiB.
std::span<const ReadingWay> gpu_reading_ways();
/// Returns the bytes that all blocks of these ways read with one load of each thread. Large sets should be multiples of
/// it; sets that are none are read by every block as a whole, at least once.
std::size_t gpu_reading_unit();
inline constexpr std::string_view by_first_level = "through the first-level cache",
                                  by_shared_level = "past it, from the shared one";

}  // namespace poisson::lab
