#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Memory moves in sectors of this size: a request for a part of a sector moves all of it.
inline constexpr int sector_bytes = 32;
inline constexpr int element_bytes = 4;
/// A record has this number of 4-byte fields.
inline constexpr int record_fields = 8;

/// Positions i·stride + offset for i = 0, 1, …
struct Positions {
  std::int64_t stride = 1, offset = 0;
  constexpr std::int64_t operator()(std::int64_t i) const { return i * stride + offset; }
};

/// Is the oracle of out[to(i)] = in[from(i)] for i < count with in = noise. Returns element j of the output, which
/// keeps its poison between and behind the written elements.
struct MovedElement {
  Positions from, to;
  std::int64_t count = 0;
  constexpr std::uint32_t operator()(std::int64_t j) const {
    const std::int64_t i = (j - to.offset) / to.stride;
    const bool written = j >= to.offset && to(i) == j && i < count;
    return written ? noise(static_cast<std::uint64_t>(from(i))) : poison_word;
  }
};

/// Is the oracle of out[i] = the sum of the first `used` fields of record i, in order. Field f of record i is
/// noise_float(i·record_fields + f) in every layout.
struct RecordSum {
  int used = 0;
  constexpr float operator()(std::int64_t i) const {
    float sum = 0;
    for (int f = 0; f < used; ++f) sum += noise_float(static_cast<std::uint64_t>(i * record_fields + f));
    return sum;
  }
};

/// Returns useful GB/s of a copy with one strided side, if full sectors move at the speed of a copy.
constexpr double predicted_strided(int stride, double copy) {
  return copy * 2 * element_bytes / (std::min(stride * element_bytes, sector_bytes) + element_bytes);
}

/// Returns useful GB/s if `used` fields of a record are needed and the full record moves.
constexpr double predicted_records(int used, double copy) {
  return copy * (used + 1) / (record_fields + 1);
}

/// The variants that conclusions look up in the panels "stride", "orders" and "pieces".
inline constexpr const char* narrow_fetches = "read, fetches of 32 bytes asked for";
inline constexpr std::array order_names{"in order",           "permuted within segments", "scattered segments",
                                        "scattered elements", "half of each warp idle",   "every other thread idle"};
inline constexpr std::array piece_names{"through the first-level cache", "past it (ld.cg)"};

/// Returns the bytes that memory moves for each element of a strided side, if memory delivers `copy` GB/s. NaN if the
/// panel lacks the stride.
double bytes_moved(const Panel& strides, std::string_view side, double stride, double copy);

// Reading orders: each thread of the panel "orders" reads element order(i) of an array of 2^k floats.

inline constexpr int segment_elements = 32;  // 128 bytes, which a warp accesses

/// Permutes within segments: lane l of a warp reads element (5 l + 3) mod 32 of the warp's segment.
constexpr std::int64_t within_segment(std::int64_t i) {
  return i / segment_elements * segment_elements + (5 * i + 3) % segment_elements;
}
/// Scatters the segments over the array and reads each one in full. `elements` must be 2^k.
constexpr std::int64_t scattered_segments(std::int64_t i, std::int64_t elements) {
  const std::uint64_t segments = static_cast<std::uint64_t>(elements / segment_elements);
  const std::uint64_t segment = (static_cast<std::uint64_t>(i / segment_elements) * 0x9e3779b1u + 12345u) % segments;
  return static_cast<std::int64_t>(segment) * segment_elements + i % segment_elements;
}
/// Scatters single elements over the array. `elements` must be 2^k: an odd multiple modulo 2^k visits each element
/// once.
constexpr std::int64_t scattered_elements(std::int64_t i, std::int64_t elements) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(i) * 0x9e3779b1u + 12345u) %
                                   static_cast<std::uint64_t>(elements));
}
/// Return whether a thread reads when half of the threads are idle. Either the lower half of each warp reads, in full
/// sectors, or every other thread does.
constexpr bool in_lower_half(std::int64_t i) {
  return i % segment_elements < segment_elements / 2;
}
constexpr bool in_even_lane(std::int64_t i) {
  return i % 2 == 0;
}

/// Derives the conclusions, given the bandwidth of a copy in GB/s.
std::vector<std::string> conclude_access(const std::vector<Panel>& panels, double copy);

}  // namespace poisson::lab
