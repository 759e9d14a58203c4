#pragma once

#include <array>
#include <cstdint>

#include "backends/memory/box.hpp"
#include "backends/memory/precision.hpp"

namespace poisson {

/// Describes the shape of a patch of a field: values per axis, periodic axes, and the width of the halo on axes of more
/// than one value. Patches of one layout follow each other in memory at equal distances.
struct Layout {
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::array<int, 3> halo{1, 1, 1};

  std::int64_t size() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  /// Returns the values from one line to the next. Lines start on 128-byte boundaries; lines without halo are adjacent
  /// if their length is a multiple of that.
  std::int64_t pitch(Precision) const;
  /// Returns the values from one patch to the next.
  std::int64_t stride(Precision) const;
  /// Returns the values in memory of some patches, including halo and padding.
  std::int64_t allocated(Precision, std::int64_t patches = 1) const;
  /// Returns the index of the value at (0, 0, 0) of the first patch in this memory.
  std::int64_t origin(Precision) const;
  Box box() const { return {{0, 0, 0}, n}; }
  /// Returns the box with its halo.
  Box with_halo() const;
  /// Returns whether this is the layout of a patch of a cut grid: its halo is wider where the grid is cut.
  bool cut() const { return halo != std::array{1, 1, 1}; }
  bool operator==(const Layout&) const = default;
};

}  // namespace poisson
