#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "lab/harness/array.hpp"
#include "lab/harness/session.hpp"

namespace poisson::lab {

/// One way to read a working set of words of 8 bytes again and again; the sums that it leaves add up to all that it
/// has read, modulo 2^64.
struct ReadingWay {
  std::string_view name;
  /// Reads about `bytes` bytes in all from a set of `words` words at `data`, and returns how many words those were:
  /// every word of the set equally often.
  std::int64_t (*read)(Backend&, const std::uint64_t* data, std::int64_t words, double bytes, std::uint64_t* sums);
};
/// Sums that a way may leave: their number.
inline constexpr std::int64_t most_sums = 1 << 20;

/// What is read: word i is noise(i).
std::vector<std::uint64_t> words_to_read(std::int64_t number);
/// Fails where a way does not read each of the words that `set` begins with equally often.
void verify(Session& session, std::string_view study, const ReadingWay& way, const Array<std::uint64_t>& set,
            std::span<const std::uint64_t> words, double bytes, const Array<std::uint64_t>& sums);

/// Those of a GPU, in builds with CUDA: by the first-level cache and past it, a power of two of words.
std::span<const ReadingWay> gpu_reading_ways();
inline constexpr std::string_view by_first_level = "through the first-level cache",
                                  by_shared_level = "past it, from the shared one";

}  // namespace poisson::lab
