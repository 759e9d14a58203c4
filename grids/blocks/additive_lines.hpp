#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "grids/blocks/line_setup.hpp"
#include "grids/blocks/stacked_crossing.hpp"

namespace poisson {

/// Owns the lines of a level of stacked blocks (BlockLines). Factors are computed on the device.
template <class Steps, class T, int dimension>
class StackedLines {
 public:
  /// `inverse` is that of the diagonal in fp64 with the same scale, and `slots` serves for exchanges. Collective.
  StackedLines(const std::shared_ptr<Steps>& steps, const std::shared_ptr<const StackedTables>& tables,
               const BlockLevel& level, double scale, BlockAssembly& assembly, const Field& inverse,
               const ListedValues& slots)
      : steps_(steps), tables_(tables) {
    steps->backend().exchange(inverse);
    const LineSetup<Steps, dimension> setup(*steps, *tables, level, scale, assembly, inverse);
    const Processes& processes = level.space->space.processes();
    any_ = processes.largest(static_cast<double>(setup.listed().size())) > 0;
    if (!any_) return;
    points_ = Field(steps->backend(), level.space->space, precision_of<T>);
    setup.template put_points<T>(*level.space, list_values(setup, slots), points_);
    work_ = Field(steps->backend(), level.space->space, precision_of<T>);
    std::int64_t most = 0;
    for (const ListedBlocks& of : setup.listed()) most = std::max(most, factor(setup, of));
    scratch_ = steps->template make<T>(most);
    crossing_ = std::make_unique<StackedCrossing<Steps, T>>(*steps, *level.space, *tables, setup);
    if (!crossing_->any()) crossing_.reset();
    bool sums = crossing_ != nullptr;
    for (const Lines& of : lines_) sums = sums || (of.axes & (of.axes - 1)) != 0;
    if (sums) sum_ = Field(steps->backend(), level.space->space, precision_of<T>);
  }

  /// Returns W₀ D⁻¹ with the signs of least_point.
  const T* points() const { return memory_of<T>(points_); }
  /// Returns the residual at nodes with lines.
  Field& work() const { return work_; }
  /// Returns whether any process has lines. Without them, points are smoothed.
  bool any() const { return any_; }
  std::size_t bytes() const {
    std::size_t bytes = points_.bytes() + work_.bytes() + sum_.bytes() + scratch_.bytes() + value_.bytes() +
                        start_.bytes() + slot_.bytes() + (crossing_ ? crossing_->bytes() : 0);
    for (const Lines& of : lines_) {
      bytes += of.patches.bytes();
      for (std::size_t axis = 0; axis < 3; ++axis) bytes += of.inverse[axis].bytes() + of.lower[axis].bytes();
    }
    return bytes;
  }

  /// Computes B⁻¹ r at the nodes with lines, and calls the end for each value. `whole`: blocks have copies of r at
  /// their ends. With `written`, the end writes it, and copies of the results go to the ends of blocks. Collective.
  template <class End>
  void solve(const Field& r, const ListedValues& slots, const End& end, bool whole = false,
             T* written = nullptr) const {
    if (!whole) steps_->backend().exchange(r);
    const T* const from = memory_of<T>(r);
    T* const ends = slots.template data<T>();
    if (crossing_) {
      steps_->each(tables_->lists.slots, crossing_->sums(from, ends));
      add_slots(slots, crossing_->solution(from));
      for (const Lines& of : lines_) clear(of);
      crossing_->add(*steps_, memory_of<T>(sum_));
    }
    for (const Lines& of : lines_) run(of, from, ends, end);
    add_slots(slots, AddPoints<T, End>{points(), from, crossing_ ? crossing_->x() : nullptr, end}, written);
  }

 private:
  // Contains the lines of the blocks of a group that have them along the same axes.
  struct Lines {
    std::size_t group;
    int axes, count;
    Buffer patches;
    std::array<Buffer, 3> inverse{}, lower{};
  };

  const StackedLists::Group& group_of(std::size_t g) const { return tables_->lists.groups[g]; }

  // Lists the values at interfaces that lines reach. Returns which of all unknowns there they reach.
  std::vector<unsigned char> list_values(const LineSetup<Steps, dimension>& setup, const ListedValues& slots) {
    const StackedLists& lists = tables_->lists;
    Backend& backend = steps_->backend();
    std::vector<T> has_lines(static_cast<std::size_t>(lists.slots + lists.received), T(0));
    for (const ListedBlocks& of : setup.listed()) {
      const BlockShape& shape = group_of(of.group).shape;
      for (const int p : of.patches) {
        const auto first = has_lines.begin() + shape.first_slot + std::ptrdiff_t{p} * shape.slots;
        std::fill(first, first + shape.slots, T(1));
      }
    }
    const std::size_t bytes = static_cast<std::size_t>(lists.slots) * sizeof(T);
    if (lists.slots > 0) backend.write(has_lines.data(), slots.template data<T>(), bytes);
    slots.exchange();
    if (!has_lines.empty()) backend.read(slots.template data<T>(), has_lines.data(), has_lines.size() * sizeof(T));
    const InterfaceView view = tables_->view(precision_of<T>, precision_of<T>);
    std::vector<int> start(static_cast<std::size_t>(view.count) + 1, 0);
    backend.read(view.start, start.data(), start.size() * sizeof(int));
    std::vector<int> slot(static_cast<std::size_t>(start.back()));
    if (!slot.empty()) backend.read(view.slot, slot.data(), slot.size() * sizeof(int));
    const std::vector<unsigned char> flags(has_lines.begin(), has_lines.end());
    ListedValuesAtLines listed = list_values_at_lines(start, slot, flags, lists.free);
    values_ = static_cast<int>(listed.value.size());
    value_ = steps_->copy(listed.value);
    start_ = steps_->copy(listed.start);
    slot_ = steps_->copy(listed.slot);
    return std::move(listed.reached);
  }
  // Computes the factors of listed blocks. Returns the number of their nodes.
  std::int64_t factor(const LineSetup<Steps, dimension>& setup, const ListedBlocks& of) {
    Lines made{of.group, of.axes, static_cast<int>(of.patches.size()), steps_->copy(of.patches)};
    const BlockShape& shape = group_of(of.group).shape;
    const std::int64_t nodes = std::int64_t{shape.nodes} * made.count;
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      if ((of.axes >> axis & 1) == 0) continue;
      made.inverse[axis] = steps_->template make<T>(nodes);
      made.lower[axis] = steps_->template make<T>(nodes);
      const int lines = shape.nodes / shape.n[axis];
      steps_->each(std::int64_t{lines} * made.count,
                   FactorLine<T, dimension>{setup.nodes(of.group), memory_of<const int>(made.patches),
                                            static_cast<int>(axis), Division(lines), memory_of<double>(setup.total()),
                                            memory_of<T>(made.inverse[axis]), memory_of<T>(made.lower[axis])});
    }
    lines_.push_back(std::move(made));
    return nodes;
  }
  LineFactors<T> factors_of(const Lines& of, std::size_t axis) const {
    return {memory_of<const T>(of.inverse[axis]), memory_of<const T>(of.lower[axis])};
  }

  void clear(const Lines& of) const {
    const StackedLists::Group& group = group_of(of.group);
    steps_->each(std::int64_t{group.shape.nodes} * of.count,
                 ClearBlocks<T>{group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)],
                                memory_of<const int>(of.patches), memory_of<T>(sum_)});
  }
  // Solves on the lines of listed blocks. The last ones end with the sum.
  template <class End>
  void run(const Lines& of, const T* r, T* slots, const End& end) const {
    const StackedLists::Group& group = group_of(of.group);
    const GroupMemory& memory = group.memory[static_cast<std::size_t>(precision_of<T>)];
    const bool first = crossing_ == nullptr;
    SolvePlane<T, End> plane{group.shape,        memory, memory_of<const int>(of.patches),
                             factors_of(of, 0),  {},     r,
                             memory_of<T>(sum_), slots,  end,
                             (of.axes & 2) != 0, first,  of.axes < 4};
    if (plane.both) plane.y = factors_of(of, 1);
    int left = of.axes;
    if ((left & 1) != 0 && steps_->fits(plane.room() * sizeof(T))) {
      steps_->planes(std::int64_t{group.shape.n[2]} * of.count, plane);
      left &= 4;
    }
    const bool begun = left != of.axes;
    if ((left & 1) != 0) run_axis<0>(of, r, slots, end, first, left == 1);
    if ((left & 2) != 0) run_axis<1>(of, r, slots, end, first && (left & 1) == 0, left < 4);
    if ((left & 4) != 0) run_axis<2>(of, r, slots, end, first && !begun && left == 4, true);
  }
  template <int axis, class End>
  void run_axis(const Lines& of, const T* r, T* slots, const End& end, bool first, bool last) const {
    if constexpr (axis < dimension) {
      const StackedLists::Group& group = group_of(of.group);
      const int lines = group.shape.nodes / group.shape.n[axis];
      steps_->each(std::int64_t{lines} * of.count,
                   SolveLine<T, axis, End>{group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)],
                                           memory_of<const int>(of.patches), factors_of(of, axis), Division(lines), r,
                                           memory_of<T>(sum_), memory_of<T>(scratch_), slots, end, first, last});
    }
  }
  template <class End>
  void add_slots(const ListedValues& slots, const End& end, T* written = nullptr) const {
    slots.exchange();
    steps_->each(values_, AddListedSlots<T, End>{
                              memory_of<const int>(value_), memory_of<const int>(start_), memory_of<const int>(slot_),
                              tables_->view(precision_of<T>, precision_of<T>), slots.template data<T>(), end,
                              written ? tables_->copies(*steps_, precision_of<T>) : nullptr, written});
  }

  std::shared_ptr<Steps> steps_;
  std::shared_ptr<const StackedTables> tables_;
  Field points_;
  mutable Field work_, sum_;  // empty if no process has lines, or none needs sums
  std::vector<Lines> lines_;
  std::unique_ptr<StackedCrossing<Steps, T>> crossing_;  // null: no strong line crosses an interface
  Buffer value_, start_, slot_;                          // of the values at interfaces that lines reach
  int values_ = 0;
  Buffer scratch_;  // of the nodes of listed blocks
  bool any_ = false;
};

}  // namespace poisson
