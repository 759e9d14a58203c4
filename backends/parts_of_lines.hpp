#pragma once

#include <array>
#include <memory>

#include "backends/backend.hpp"
#include "backends/reduced_line.hpp"

namespace poisson {

/// The axes that lie across one, the faster and the slower.
constexpr std::array<std::size_t, 2> axes_across(int axis) {
  return {axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U};
}

/// Where processes tell each other what their parts of lines are reduced to (reduced_line.hpp): fields with the lines
/// where they lie across their axis and the numbers of PartOfLine along it. Some lines at a time, so many as devices
/// send each other.
class PartsOfLines {
 public:
  /// The grid is cut into so many parts along each axis; a process has lines along `axis` at so many places along the
  /// other two, at the most.
  PartsOfLines(Backend& backend, Precision precision, const std::shared_ptr<const Processes>& processes,
               const std::array<int, 3>& parts, int axis, int lanes, int slows);
  /// Of one of them.
  static std::size_t bytes(Precision precision, const std::array<int, 3>& parts, int axis, int lanes, int slows);

  /// Of these what all have told.
  static std::size_t bytes_told(Precision precision, const std::array<int, 3>& parts, int axis, int lanes, int slows);

  /// Makes room for what is told, before anything is recorded. All processes call it together.
  void join() { own_.backend().join(own_.space()); }
  /// Places along the slower axis at a time.
  int slows() const { return own_.layout().n[axes_across(axis_)[1]]; }
  /// What this process tells.
  template <class T>
  Told<T> own() {
    return told<T>(own_, {});
  }
  /// What all that have parts of its lines have told, one after another, once gathered.
  template <class T>
  Told<T> all() {
    return told<T>(all_, own_.space().origin());
  }
  /// What holds nothing any more once values at the ends are known.
  const Field& told_memory() const { return all_; }
  void gather() { own_.backend().gather(own_, all_); }
  int parts() const { return own_.space().cuts().count(static_cast<std::size_t>(axis_)); }
  int part() const {
    const Space& space = own_.space();
    return space.cuts().place(space.processes().rank())[static_cast<std::size_t>(axis_)];
  }

 private:
  template <class T>
  Told<T> told(Field& field, const std::array<int, 3>& first) const {
    const View<T> v = field.template view<T>();
    const std::array<std::int64_t, 3> stride{1, v.sy, v.sz};
    const auto [fast, slow] = axes_across(axis_);
    return {v.data + first[fast] * stride[fast] + first[slow] * stride[slow], stride[fast], stride[slow],
            stride[static_cast<std::size_t>(axis_)]};
  }

  int axis_;
  Field own_, all_;
};

}  // namespace poisson
