#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "backends/box.hpp"
#include "backends/exchange.hpp"
#include "backends/precision.hpp"

namespace poisson {

/// The shape of a field: values per axis, and which axes close on themselves. The halo is one value wide on every
/// axis of more than one value.
struct Layout {
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> periodic{};

  std::int64_t size() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  /// Values from one line to the next; lines start on 128-byte boundaries.
  std::int64_t pitch(Precision) const;
  /// Values in memory, halo and padding included.
  std::int64_t allocated(Precision) const;
  /// Index of the value at (0, 0, 0) in the field's memory.
  std::int64_t origin(Precision) const;
  Box box() const { return {{0, 0, 0}, n}; }
  bool operator==(const Layout&) const = default;
};

/// The values of one level that this process has: a patch of the grid, which of its values are unknowns, where it lies
/// in the whole, and how its halo gets its values. Fields share it.
///
/// Beyond an end lie the values of a neighbour, which may be the patch itself, or nothing: there the grid ends, no
/// exchange writes, and the halo is zero, but for the data on the faces that solutions of cell-centred problems hold.
class Space {
 public:
  /// All values of a grid, each an unknown.
  Space(const Layout& layout) : Space(layout, layout.box()) {}
  Space(const Layout& layout, const Box& unknowns);
  /// A patch of a grid. `unknowns` in its own indices.
  Space(const Cuts& cuts, int patch, const Box& unknowns);

  const Layout& layout() const { return parts_->layout; }
  const Box& unknowns() const { return parts_->unknowns; }
  /// Where value (0, 0, 0) lies in the whole grid.
  const std::array<int, 3>& origin() const { return parts_->origin; }
  const Exchange& halo() const { return parts_->halo; }

 private:
  struct Parts {
    Layout layout;
    Box unknowns;
    std::array<int, 3> origin;
    Exchange halo;
  };
  std::shared_ptr<const Parts> parts_;
};

}  // namespace poisson
