#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "backends/part_swap.hpp"
#include "backends/reduced_line.hpp"

namespace poisson {

/// The axes that lie across one, the faster and the slower.
constexpr std::array<std::size_t, 2> axes_across(int axis) {
  return {axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U};
}

/// Lines that are cut into so many parts: of one process at so many places along the axes across them, of so many
/// values, at the most of all processes.
struct LinesInParts {
  int parts = 1, lanes = 0, slows = 0, values = 0;
};

/// Those that have the parts of this process's lines, from one end to the other.
Members members_along(const Cuts& cuts, const std::shared_ptr<const Processes>& processes, int axis);

/// Where processes tell each other what their parts of lines are reduced to (reduced_line.hpp). Each solves the small
/// systems of its share of the lines, and tells the others the values at the ends of their parts. Some lines at a time;
/// what they take is that of elimination afterwards.
class PartsOfLines {
 public:
  PartsOfLines(Backend& backend, Precision precision, const Members& members, const LinesInParts& lines);
  /// Of one of them.
  static std::size_t bytes(Precision precision, const LinesInParts& lines, bool gpu);
  /// Of a part that is swapped.
  static std::size_t bytes_of_message(Precision precision, const LinesInParts& lines, bool gpu);

  /// Makes room for what is told, before anything is recorded. All processes call it together.
  void join() { messages_->join(); }
  /// Places along the slower axis at a time.
  int slows() const { return size_.slows; }

  /// Where this process writes what its lines are reduced to, which all that have parts of them are told.
  template <class T>
  Told<T> told(int lanes) const {
    return {static_cast<T*>(memory_.data()), lanes, size_.share, PartOfLine::count};
  }
  void tell() { swap(PartOfLine::count); }
  /// Its share of so many lines, which it solves then.
  template <class T>
  EndSystems<T> systems(std::int64_t lines) const {
    return {reinterpret_cast<T*>(second_half()), static_cast<T*>(memory_.data()), size_.share, size_.parts,
            share(lines)};
  }
  void tell_ends() { swap(PartOfLine::ends); }
  /// Where those of its own parts have come.
  template <class T>
  Told<T> ends(int lanes) const {
    return {reinterpret_cast<T*>(second_half()), lanes, size_.share, PartOfLine::ends};
  }
  /// Room for what elimination keeps on a GPU (kept_of_lines), between known ends.
  void* kept() const { return memory_.data(); }

 private:
  struct Size {
    int parts, slows, share;  ///< `share`: lines of a process, of all that are told of at a time
    std::int64_t kept;        ///< values
    Size(const LinesInParts& lines, bool gpu);
    std::size_t bytes_of_message(Precision precision, int numbers = PartOfLine::count) const;
    std::size_t half(Precision precision) const;
    std::size_t bytes(Precision precision) const;
  };
  /// Lines of this process's share, of so many.
  int share(std::int64_t lines) const;
  char* second_half() const { return static_cast<char*>(memory_.data()) + size_.half(precision_); }
  void swap(int numbers) {
    messages_->swap(memory_.data(), second_half(), size_.bytes_of_message(precision_, numbers));
  }

  Precision precision_;
  int own_;  ///< which of the parts this process has
  Size size_;
  std::unique_ptr<PartSwap> messages_;
  Buffer memory_;  ///< what is told and what comes, or what elimination keeps
};

}  // namespace poisson
