#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "backends/lines/part_swap.hpp"
#include "backends/lines/reduced_line.hpp"

namespace poisson {

/// Returns the two axes across `axis`, the faster one in memory first.
constexpr std::array<std::size_t, 2> axes_across(int axis) {
  return {axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U};
}

/// Describes lines that are cut into `parts` parts. A process has `lanes` × `slows` lines, along the faster and the
/// slower axis across them, with `values` values each. All three are maxima over the processes.
struct LinesInParts {
  int parts = 1, lanes = 0, slows = 0, values = 0;
};

/// Returns the processes that own the parts of this process's lines, from one end of the lines to the other.
Members members_along(const Cuts& cuts, const std::shared_ptr<const Processes>& processes, int axis);

/// Exchanges the reduced forms of cut lines (reduced_line.hpp) between the processes that share them. Each process
/// solves the small systems of its share of the lines, and sends the end values of every part to the owner. Lines are
/// exchanged in batches. Elimination reuses the memory afterwards.
class PartsOfLines {
 public:
  PartsOfLines(Backend& backend, Precision precision, const Members& members, const LinesInParts& lines);
  /// Allocates the exchange buffers; to be called before anything is recorded. Collective.
  void reserve_halo_buffers() { messages_->reserve_halo_buffers(); }
  /// Returns the places along the slower axis in one batch.
  int slows() const { return size_.slows; }

  /// Returns where this process writes the reduced forms of its lines, which `tell` sends.
  template <class T>
  SendBuffer<T> sent(int lanes) const {
    return {static_cast<T*>(memory_.data()), lanes, size_.share, PartOfLine::count};
  }
  void tell() { swap(PartOfLine::count); }
  /// Returns the small systems that this process solves, its share of `lines` lines.
  template <class T>
  EndSystems<T> systems(std::int64_t lines) const {
    return {reinterpret_cast<T*>(second_half()), static_cast<T*>(memory_.data()), size_.share, size_.parts,
            share(lines)};
  }
  void tell_ends() { swap(PartOfLine::ends); }
  /// Returns where `tell_ends` writes the end values of this process's parts.
  template <class T>
  SendBuffer<T> ends(int lanes) const {
    return {reinterpret_cast<T*>(second_half()), lanes, size_.share, PartOfLine::ends};
  }
  /// Returns the memory for values that elimination between known ends stores on a GPU (kept_of_lines).
  void* kept() const { return memory_.data(); }

 private:
  struct Size {
    int parts, slows, share;  ///< `share`: lines of a batch that one process solves
    std::int64_t kept;        ///< in values
    Size(const LinesInParts& lines, bool gpu);
    std::size_t bytes_of_message(Precision precision, int numbers = PartOfLine::count) const;
    std::size_t half(Precision precision) const;
    std::size_t bytes(Precision precision) const;
  };
  /// Returns the lines that this process solves in a batch of `lines`.
  int share(std::int64_t lines) const;
  char* second_half() const { return static_cast<char*>(memory_.data()) + size_.half(precision_); }
  void swap(int numbers) {
    messages_->swap(memory_.data(), second_half(), size_.bytes_of_message(precision_, numbers));
  }

  Precision precision_;
  int own_;  ///< this process's part
  Size size_;
  std::unique_ptr<PartSwap> messages_;
  Buffer memory_;  ///< numbers that are sent and received, later the values that elimination stores
};

}  // namespace poisson
