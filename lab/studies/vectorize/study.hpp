#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/device/field.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Returns one Jacobi step for −Δu = f with 7 points and spacing 1: the mean of the neighbours and f. The fixed order
/// of additions and a single product make it bitwise reproducible.
constexpr float jacobi_point(float west, float east, float south, float north, float below, float above, float f) {
  return (((west + east) + (south + north)) + ((below + above) + f)) * (1.0f / 6);
}
/// Bytes per point if each value moves once: u and f are read, the new u is written.
inline constexpr int jacobi_bytes = 12;

/// Describes the memory of a three-dimensional grid of floats with at least 2 values along each axis, in the order of
/// Layout.
struct GridMemory {
  int n[3] = {};
  std::int64_t pitch = 0, origin = 0, allocated = 0;

  constexpr std::int64_t points() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  constexpr std::int64_t plane() const { return pitch * (n[1] + 2); }
  constexpr std::int64_t at(int i, int j, int k) const { return origin + i + j * pitch + k * plane(); }
  constexpr bool inside(int i, int j, int k) const {
    return i >= 0 && i < n[0] && j >= 0 && j < n[1] && k >= 0 && k < n[2];
  }
  /// Calls f(i, j, k) if a value of the grid is at `position`, and otherwise (halo, padding) returns `beside`.
  template <class T, class F>
  constexpr T visit(std::int64_t position, T beside, const F& f) const {
    const std::int64_t from_first_line = position - (origin - pitch - plane());  // first halo plane
    if (from_first_line < 0) return beside;
    const std::int64_t line = from_first_line / pitch;
    const int i = static_cast<int>(from_first_line % pitch), j = static_cast<int>(line % (n[1] + 2)) - 1,
              k = static_cast<int>(line / (n[1] + 2)) - 1;
    return inside(i, j, k) ? f(i, j, k) : beside;
  }
};

inline GridMemory memory_of(const Layout& layout) {
  constexpr auto fp32 = Precision::fp32;
  return {{layout.n[0], layout.n[1], layout.n[2]}, layout.pitch(fp32), layout.origin(fp32), layout.allocated(fp32)};
}

/// Generates random grids u (which = 0) and f (1), with zeros outside the grid.
struct GridNoise {
  GridMemory memory;
  int which = 0;
  constexpr float value(int i, int j, int k) const {
    return memory.inside(i, j, k) ? noise_float(static_cast<std::uint64_t>(2 * memory.at(i, j, k) + which)) : 0;
  }
  constexpr float operator()(std::uint64_t position) const {
    return memory.visit(static_cast<std::int64_t>(position), 0.0f,
                        [this](int i, int j, int k) { return value(i, j, k); });
  }
};

/// The oracle returns the bits at each position of the memory after a sweep. Outside the grid the poison stays.
struct SweptWord {
  GridMemory memory;
  constexpr std::uint32_t operator()(std::int64_t position) const {
    const GridNoise u{memory, 0}, f{memory, 1};
    return memory.visit(position, poison_word, [&](int i, int j, int k) {
      return bits(jacobi_point(u.value(i - 1, j, k), u.value(i + 1, j, k), u.value(i, j - 1, k), u.value(i, j + 1, k),
                               u.value(i, j, k - 1), u.value(i, j, k + 1), f.value(i, j, k)));
    });
  }
};

/// Derives conclusions from the panel "sweep", given the bandwidth of a copy in GB/s.
std::vector<std::string> conclude_vectorize(const std::vector<Panel>& panels, double copy);

}  // namespace poisson::lab
