#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Memory moves in sectors of so many bytes: a request for a part of one moves all of it.
inline constexpr int sector_bytes = 32;
inline constexpr int element_bytes = 4;
/// Fields of 4 bytes in a record.
inline constexpr int record_fields = 8;

/// Positions i·stride + offset, i = 0, 1, …
struct Positions {
  std::int64_t stride = 1, offset = 0;
  constexpr std::int64_t operator()(std::int64_t i) const { return i * stride + offset; }
};

/// The oracle of out[to(i)] = in[from(i)] for i < count with in = noise: element j of the whole output, which keeps its
/// poison between and behind what is written.
struct MovedElement {
  Positions from, to;
  std::int64_t count = 0;
  constexpr std::uint32_t operator()(std::int64_t j) const {
    const std::int64_t i = (j - to.offset) / to.stride;
    const bool written = j >= to.offset && to(i) == j && i < count;
    return written ? noise(static_cast<std::uint64_t>(from(i))) : poison_word;
  }
};

/// The oracle of out[i] = the sum of the first `used` fields of record i, from the first field on; field f of record i
/// is noise_float(i·record_fields + f) wherever it lies.
struct RecordSum {
  int used = 0;
  constexpr float operator()(std::int64_t i) const {
    float sum = 0;
    for (int f = 0; f < used; ++f) sum += noise_float(static_cast<std::uint64_t>(i * record_fields + f));
    return sum;
  }
};

/// Useful GB/s where one side of a copy takes every stride-th element, if whole sectors move at the speed of a copy.
constexpr double predicted_strided(int stride, double copy) {
  return copy * 2 * element_bytes / (std::min(stride * element_bytes, sector_bytes) + element_bytes);
}

/// The same where `used` of a record's fields are wanted and the whole record moves.
constexpr double predicted_records(int used, double copy) {
  return copy * (used + 1) / (record_fields + 1);
}

/// What the panels say, given the bandwidth of a copy in GB/s.
std::vector<std::string> conclude_access(const std::vector<Panel>& panels, double copy);

}  // namespace poisson::lab
