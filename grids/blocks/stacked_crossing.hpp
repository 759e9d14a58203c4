#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/blocks/crossing_ends.hpp"
#include "grids/blocks/line_setup.hpp"

/// Contains the lines that cross interfaces (CrossingLines), for stacked blocks.
namespace poisson {

/// Computes hᵀ r of the ends at a slot.
template <class T>
struct SumEnds {
  const CrossingEnd* ends;
  const int *start, *number;
  const T *weights, *r;
  T* slots;

  constexpr void operator()(std::int64_t slot) const {
    T sum = 0;
    for (int e = start[slot]; e < start[slot + 1]; ++e) {
      const CrossingEnd end = ends[number[e]];
      const T* const h = weights + end.weight;
      const T* const from = r + end.place + end.step;
      T own = 0;
      for (int m = 0; m < end.count; ++m) own += h[m * std::int64_t{end.stride}] * from[m * end.step];
      sum += own;
    }
    slots[slot] = sum;
  }
};
/// Ends the sum at an interface: x = (r + Σ hᵀ r)/s.
template <class T>
struct PutCrossing {
  const T *inverse, *r;
  T* x;
  constexpr void put(std::int64_t i, std::int64_t, T value) const { x[i] = inverse[i] * (value + r[i]); }
  constexpr void skip(std::int64_t at) const { x[at] = 0; }
};
/// Adds h x to the nodes behind an end.
template <class T>
struct AddEnd {
  const CrossingEnd* ends;
  const T *weights, *x;
  T* z;

  constexpr void operator()(std::int64_t e) const {
    const CrossingEnd end = ends[e];
    const T* const h = weights + end.weight;
    T* const to = z + end.place + end.step;
    const T value = x[end.place];
    for (int m = 0; m < end.count; ++m) to[m * end.step] += h[m * std::int64_t{end.stride}] * value;
  }
};
/// Owns the ends of a level on a device.
template <class Steps, class T>
class StackedCrossing {
 public:
  /// Collective.
  template <int dimension>
  StackedCrossing(Steps& steps, const BlockSpace& blocks, const StackedTables& tables,
                  const LineSetup<Steps, dimension>& setup)
      : inverse_(steps.backend(), blocks.space, precision_of<T>) {
    const std::vector<Lines> lines = lines_of(steps, blocks, tables, setup);
    find_strong(steps, blocks, tables, setup, lines);
    if (!any_) return;
    x_ = Field(steps.backend(), blocks.space, precision_of<T>);
    steps.backend().exchange(inverse_);
    list(steps, tables, setup, lines);
  }

  /// Returns whether strong lines cross an interface of any process.
  bool any() const { return any_; }
  /// Returns the step that writes hᵀ r to all slots of the process.
  SumEnds<T> sums(const T* r, T* slots) const {
    return {memory_of<const CrossingEnd>(ends_),
            memory_of<const int>(start_),
            memory_of<const int>(number_),
            memory_of<const T>(weights_),
            r,
            slots};
  }
  /// Returns the end of their sums over interfaces, which writes x.
  PutCrossing<T> solution(const T* r) const { return {memory_of<T>(inverse_), r, memory_of<T>(x_)}; }
  /// Adds h x to z at all nodes of blocks. Collective.
  void add(Steps& steps, T* z) const {
    steps.backend().exchange(x_);
    for (std::size_t list = 0; list < 6; ++list)
      steps.each(first_[list + 1] - first_[list],
                 AddEnd<T>{memory_of<const CrossingEnd>(ends_) + first_[list], memory_of<const T>(weights_), x(), z});
  }
  /// Is x in the memory of fields.
  const T* x() const { return memory_of<T>(std::as_const(x_)); }
  std::size_t bytes() const {
    return inverse_.bytes() + x_.bytes() + ends_.bytes() + weights_.bytes() + start_.bytes() + number_.bytes();
  }

 private:
  // Contains the lines of listed blocks along an axis.
  struct Lines {
    const ListedBlocks* of;
    int axis, count;  // of lines
    Division by_lines;
    Buffer patches, flags, ratio;
  };
  template <int dimension>
  std::vector<Lines> lines_of(Steps& steps, const BlockSpace& blocks, const StackedTables& tables,
                              const LineSetup<Steps, dimension>& setup) const {
    std::vector<Lines> lines;
    for (int axis = 0; axis < dimension; ++axis)
      for (const ListedBlocks& of : setup.listed()) {
        const BlockShape& shape = tables.lists.groups[of.group].shape;
        if ((of.axes >> axis & 1) == 0 || shape.n[axis] < 3) continue;
        const int in_block = shape.nodes / shape.n[axis], count = in_block * static_cast<int>(of.patches.size());
        lines.push_back({&of, axis, count, Division(in_block), steps.copy(of.patches),
                         steps.copy(flags_of_lines(blocks, tables.lists, of, axis)),
                         steps.template make<double>(std::int64_t{count} * shape.n[axis])});
      }
    return lines;
  }
  template <class Setup>
  auto walk(const Setup& setup, const Lines& lines, bool upper) const {
    return WalkFromEnd{setup.nodes(lines.of->group),
                       memory_of<const int>(lines.patches),
                       lines.by_lines,
                       memory_of<const unsigned char>(lines.flags),
                       lines.axis,
                       upper,
                       lines.count,
                       memory_of<double>(lines.ratio)};
  }
  // Computes 1/s at interfaces.
  template <class Setup>
  void find_strong(Steps& steps, const BlockSpace& blocks, const StackedTables& tables, const Setup& setup,
                   const std::vector<Lines>& lines) {
    const ListedValues slots(steps.backend(), tables.slots, Precision::fp64);
    for (const Lines& of : lines)
      for (const bool upper : {false, true})
        steps.each(of.count, AddSchur{walk(setup, of, upper), slots.template data<double>()});
    slots.exchange();
    steps.each(tables.count,
               AddSlots<double, PutInverse<T>>{tables.view(Precision::fp64, precision_of<T>),
                                               slots.template data<double>(),
                                               {memory_of<double>(setup.inverse()), memory_of<T>(inverse_)},
                                               false});
    const Scalar count = steps.backend().scalar();
    steps.sum(inverse_, inverse_, CountPositive{}, count);
    any_ = blocks.space.processes().largest(steps.backend().value(count)) > 0;
  }
  // Lists the ends and computes their weights.
  template <class Setup>
  void list(Steps& steps, const StackedTables& tables, const Setup& setup, const std::vector<Lines>& lines) {
    CrossingLists lists(tables.lists.slots);
    std::vector<Buffer> numbers;
    for (int list = 0; list < 6; ++list) {
      for (const Lines& of : lines) {
        if (of.axis != list / 2) continue;
        const StackedLists::Group& group = tables.lists.groups[of.of->group];
        const GroupMemory& memory = group.memory[static_cast<std::size_t>(precision_of<T>)];
        const Buffer there = steps.template make<int>(of.count);
        steps.each(of.count, CountWeights<T, decltype(walk(setup, of, true))>{walk(setup, of, list % 2 != 0),
                                                                              memory_of<T>(std::as_const(inverse_)),
                                                                              memory, memory_of<int>(there)});
        std::vector<int> counts(static_cast<std::size_t>(of.count));
        steps.backend().read(there.data(), counts.data(), counts.size() * sizeof(int));
        numbers.push_back(steps.copy(lists.add(*of.of, of.axis, list % 2 != 0, group.shape, memory, counts)));
      }
      first_[static_cast<std::size_t>(list) + 1] = lists.close();
    }
    ends_ = steps.copy(lists.ends());
    weights_ = steps.template make<T>(lists.weights());
    auto number = numbers.begin();
    for (int list = 0; list < 6; ++list)
      for (const Lines& of : lines) {
        if (of.axis != list / 2) continue;
        steps.each(of.count, PutWeights<T, decltype(walk(setup, of, true))>{
                                 walk(setup, of, list % 2 != 0), memory_of<const int>(*number++),
                                 memory_of<const CrossingEnd>(ends_), memory_of<T>(weights_)});
      }
    start_ = steps.copy(lists.start());
    number_ = steps.copy(lists.number());
  }

  std::array<int, 7> first_{};  // of each axis and side
  Buffer ends_, weights_, start_, number_;
  Field inverse_;
  mutable Field x_;
  bool any_ = false;
};

}  // namespace poisson
