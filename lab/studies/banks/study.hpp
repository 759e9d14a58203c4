#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Shared memory: successive 4-byte words lie in successive banks. Each bank serves one word per clock.
inline constexpr int bank_count = 32, bank_bytes = 4, warp_lanes = 32;

/// The element of a shared array that each lane of a warp reads.
using LaneElements = std::array<std::uint16_t, warp_lanes>;

/// Returns the pattern in which lane i reads element i·stride.
LaneElements strided_lanes(int stride);

/// Defines a way to read a tile of 32 × 32 words.
struct LanePattern {
  const char* name;
  LaneElements (*lanes)();
};
std::span<const LanePattern> lane_patterns();

/// Elements beyond those of a pattern: each warp starts at its own index and reads `successive` elements in a row. This
/// rotates the banks but leaves the conflicts unchanged.
inline constexpr int successive = 32, most_warps = 32, elements_in_pattern = 32 * 33;
inline constexpr int shared_elements = elements_in_pattern + successive + most_warps;

/// Returns element i of the array in shared memory. T is an unsigned type of 4 or 8 bytes.
template <class T>
constexpr T shared_element(int i) {
  const auto position = static_cast<std::uint64_t>(i);
  if constexpr (sizeof(T) == 4)
    return noise(position);
  else
    return (static_cast<T>(noise(position)) << 32) | noise(~position);
}

/// The oracle: returns the sum of a lane after `rounds` rounds, modulo 2^(8·sizeof T).
template <class T>
constexpr T lane_sum(const LaneElements& lanes, int lane, int warp, int rounds) {
  T sum = 0;
  for (int k = 0; k < successive; ++k) sum += shared_element<T>(lanes[static_cast<std::size_t>(lane)] + warp + k);
  return static_cast<T>(rounds) * sum;
}

/// Returns the predicted clocks: in each pass a bank serves one word, to all lanes that want it. The lanes of one pass
/// are those whose elements fill the banks once: a warp of 4-byte elements, or half a warp of 8-byte ones.
int predicted_passes(const LaneElements& lanes, int element_bytes);

/// Derives the conclusions from the panels.
std::vector<std::string> conclude_banks(const std::vector<Panel>& panels);

}  // namespace poisson::lab
