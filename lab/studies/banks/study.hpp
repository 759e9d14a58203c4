#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Shared memory: successive words of 4 bytes lie in successive banks, each of which serves one word per clock.
inline constexpr int bank_count = 32, bank_bytes = 4, warp_lanes = 32;

/// Which element of an array in shared memory each lane of a warp reads.
using LaneElements = std::array<std::uint16_t, warp_lanes>;

/// Lane i reads element i·stride.
LaneElements strided_lanes(int stride);

/// Ways to read a tile of 32 × 32 words.
struct LanePattern {
  const char* name;
  LaneElements (*lanes)();
};
std::span<const LanePattern> lane_patterns();

/// Elements that are read beyond a pattern's own: each warp begins at its number, and reads so many successive
/// elements, which turns the banks but leaves the conflicts as they are.
inline constexpr int successive = 32, most_warps = 32, elements_in_pattern = 32 * 33;
inline constexpr int shared_elements = elements_in_pattern + successive + most_warps;

/// Element i of the array in shared memory; T: an unsigned type of 4 or 8 bytes.
template <class T>
constexpr T shared_element(int i) {
  const auto position = static_cast<std::uint64_t>(i);
  if constexpr (sizeof(T) == 4)
    return noise(position);
  else
    return (static_cast<T>(noise(position)) << 32) | noise(~position);
}

/// The oracle: what a lane of a warp adds up in `rounds` rounds, modulo 2^(8·sizeof T).
template <class T>
constexpr T lane_sum(const LaneElements& lanes, int lane, int warp, int rounds) {
  T sum = 0;
  for (int k = 0; k < successive; ++k) sum += shared_element<T>(lanes[static_cast<std::size_t>(lane)] + warp + k);
  return static_cast<T>(rounds) * sum;
}

/// The prediction, in clocks: in each pass a bank serves one word, to all lanes that want it. Lanes go together as far
/// as their elements fill the banks once: a whole warp of 4-byte elements, half a warp of 8-byte ones.
int predicted_passes(const LaneElements& lanes, int element_bytes);

/// What the panels say.
std::vector<std::string> conclude_banks(const std::vector<Panel>& panels);

}  // namespace poisson::lab
