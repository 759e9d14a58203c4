#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"
#include "lab/page/curve.hpp"

namespace poisson::lab {

/// Defines a tiny step that depends on all of the previous step. Word w of the new state is factor·x + addend(step)
/// modulo 2^64. There x is the old state's word `shift` further on, cyclically, which another block wrote. A missing,
/// repeated, reordered or premature step changes the result.
struct TinyStep {
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
  std::int64_t words = 0, shift = 0;

  static constexpr std::uint64_t addend(int step) {
    return (std::uint64_t{noise(static_cast<std::uint64_t>(step))} << 32) + static_cast<std::uint64_t>(step);
  }
  static constexpr std::uint64_t start(std::int64_t word) {
    return std::uint64_t{noise(static_cast<std::uint64_t>(word))};
  }
  constexpr std::uint64_t next(const std::uint64_t* state, std::int64_t word, int step) const {
    const std::int64_t from = word + shift;
    return factor * state[from < words ? from : from - words] + addend(step);
  }
};

/// The oracle returns the state `steps` steps after TinyStep::start.
std::vector<std::uint64_t> state_after(const TinyStep& tiny, int steps);

/// Contains the microseconds to start a sequence and those of each step. The straight line of least relative deviations
/// through all sequences of a curve determines both; the start is at least zero.
struct SequenceCost {
  double start = 0, step = 0;
  double per_step(double steps) const { return step + start / steps; }
};
SequenceCost sequence_cost(const Curve& curve);
/// Returns that line for every variant.
std::vector<Guide> sequence_guides(const Panel& panel);

/// In these variants the host waits for each step, and reads one word of its result.
inline constexpr const char *awaited = "launches that the host waits for",
                            *read_back = "launches, each with 8 bytes read back";

/// Derives the conclusions from the panel "steps", given the bandwidth of a copy in GB/s.
std::vector<std::string> conclude_launch(const std::vector<Panel>& panels, double copy);

}  // namespace poisson::lab
