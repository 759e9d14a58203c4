#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

/// What the study's kernel does to every value so many times, modulo 2³²: as long as one likes, and known without
/// doing it.
constexpr std::uint32_t one_round(std::uint32_t value) {
  return value * 1664525U + 1013904223U;
}

/// So many rounds at once: x ↦ factor · x + term.
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

/// Number of values of `after` that are not what so many rounds make of those of `before`.
std::int64_t wrong_values(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, int rounds);

/// Words that the co-processor makes one of.
inline constexpr std::size_t folded = 64;
/// What host and device make of words between them: of each so many rounds, sums of `folded` of them, rounds of those,
/// and their sum.
std::uint32_t worked_on(std::span<const std::uint32_t> words, int device_rounds, int host_rounds);

/// The names that conclusions look for.
namespace transfer_names {
inline constexpr std::string_view pageable_up = "pageable, up", pageable_down = "pageable, down",
                                  pinned_up = "pinned, up", pinned_down = "pinned, down",
                                  both = "pinned, both directions", pieces = "pinned, up", pipeline = "pipeline",
                                  in_turn = "chunk by chunk", overlapped = "host and device at once";
}  // namespace transfer_names

/// Conclusions from the panels "size" (GB/s over bytes), "pieces" (GB/s over the number of copies) and those whose
/// names begin with "pipeline-" (GB/s over the number of chunks), of which the first guide is the rate without overlap
/// and the second the ideal one; and "coprocessor".
std::vector<std::string> conclude_transfer(std::span<const Panel> panels);

}  // namespace poisson::lab
