#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Returns the value after one round of the study's kernel, modulo 2³². Rounds prolong the kernel arbitrarily, and a
/// closed form gives their result.
constexpr std::uint32_t one_round(std::uint32_t value) {
  return value * 1664525U + 1013904223U;
}

/// Applies `rounds` rounds in closed form: x ↦ factor · x + term.
struct Rounds {
  std::uint32_t factor = 1, term = 0;

  constexpr explicit Rounds(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      factor *= one_round(1) - one_round(0);
      term = one_round(term);
    }
  }
  constexpr std::uint32_t operator()(std::uint32_t value) const { return factor * value + term; }
};

/// Returns the number of values of `after` that differ from those of `before` after `rounds` rounds.
std::int64_t wrong_values(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, int rounds);

/// The coprocessor reduces this number of words to one.
inline constexpr std::size_t folded = 64;
/// Returns the common result of host and device. The device applies rounds to each word and adds `folded` words; the
/// host applies rounds to these sums and adds them.
std::uint32_t worked_on(std::span<const std::uint32_t> words, int device_rounds, int host_rounds);

/// Conclusions look up these names.
namespace transfer_names {
inline constexpr std::string_view pageable_up = "pageable, up", pageable_down = "pageable, down",
                                  pinned_up = "pinned, up", pinned_down = "pinned, down",
                                  both = "pinned, both directions", pieces = "pinned, up", pipeline = "pipeline",
                                  in_turn = "chunk by chunk", overlapped = "host and device at once";
}  // namespace transfer_names

/// Derives conclusions from the panels "size" (GB/s over bytes), "pieces" (GB/s over the number of copies),
/// "pipeline-…" (GB/s over the number of chunks) and "coprocessor". The first guide of a pipeline panel is the rate
/// without overlap; the second one is the ideal rate.
std::vector<std::string> conclude_transfer(std::span<const Panel> panels);

}  // namespace poisson::lab
