#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "backends/box.hpp"
#include "backends/exchange.hpp"
#include "backends/precision.hpp"
#include "backends/processes.hpp"

namespace poisson {

/// The shape of a field: values per axis, which axes close on themselves, and how wide the halo is on axes of more than
/// one value.
struct Layout {
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::array<int, 3> halo{1, 1, 1};

  std::int64_t size() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  /// Values from one line to the next; lines start on 128-byte boundaries.
  std::int64_t pitch(Precision) const;
  /// Values in memory, halo and padding included.
  std::int64_t allocated(Precision) const;
  /// Index of the value at (0, 0, 0) in the field's memory.
  std::int64_t origin(Precision) const;
  Box box() const { return {{0, 0, 0}, n}; }
  /// Whether it is that of a part of a grid, whose halo is wider where the grid is cut.
  bool cut() const { return halo != std::array{1, 1, 1}; }
  bool operator==(const Layout&) const = default;
};

/// How a grid is shared out: each process has the patch of its number.
struct Share {
  Cuts cuts;
  std::shared_ptr<const Processes> processes;

  int patch() const { return processes->rank(); }
  bool operator==(const Share& other) const { return cuts == other.cuts && processes == other.processes; }
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
  /// A patch of a grid; the unknowns are those of the whole.
  Space(const Cuts& cuts, int patch, const Box& all_unknowns);
  /// That of this process.
  Space(const Share& share, const Box& all_unknowns);

  const Layout& layout() const { return parts_->layout; }
  const Box& unknowns() const { return parts_->unknowns; }
  /// Where value (0, 0, 0) lies in the whole grid.
  const std::array<int, 3>& origin() const { return parts_->origin; }
  const Exchange& halo() const { return parts_->halo; }
  /// The same for fields whose halo is filled otherwise: no exchange writes it.
  Space without_exchange() const;
  /// Which parts there are.
  const Cuts& cuts() const { return parts_->cuts; }
  /// Those that have the other patches.
  const Processes& processes() const { return *parts_->processes; }
  /// Whether the whole grid is here.
  bool whole() const { return cuts().patches() == 1; }
  /// Values of the whole grid.
  const std::array<int, 3>& all() const { return cuts().n; }
  /// The unknowns of the whole grid, in its indices.
  const Box& all_unknowns() const { return parts_->all_unknowns; }
  std::int64_t unknown_count() const { return all_unknowns().size(); }
  std::int64_t size() const { return std::int64_t{1} * all()[0] * all()[1] * all()[2]; }
  /// The values of a patch in the whole, and one past each end of the grid that it reaches.
  Box with_ends(int patch) const;
  /// Whether the patch reaches the lower (0) or upper (1) end of an axis.
  bool ends_here(std::size_t axis, std::size_t end) const {
    return end == 0 ? origin()[axis] == 0 : origin()[axis] + layout().n[axis] == all()[axis];
  }
  /// Its axes that close on themselves.
  const std::array<bool, 3>& closed() const { return cuts().periodic; }
  /// Values of the largest part along each axis.
  const std::array<int, 3>& most_values() const { return parts_->most; }

 private:
  struct Parts {
    Layout layout;
    Box unknowns;
    std::array<int, 3> origin;
    Exchange halo;
    std::shared_ptr<const Processes> processes;
    std::array<int, 3> most;
    Box all_unknowns;
    Cuts cuts;
  };
  static Parts of_patch(const Cuts& cuts, int patch, const Box& all_unknowns,
                        std::shared_ptr<const Processes> processes);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace poisson
