#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/blocks/crossing_lines.hpp"
#include "grids/blocks/stacked_steps.hpp"

/// Contains the lines that cross interfaces (CrossingLines), for stacked blocks.
namespace poisson {

/// Is a part of a line that ends at an interface. Places are those of fields in the precision of the operator; node m
/// behind the end has the weight h at weight + m · stride.
struct CrossingEnd {
  std::int64_t place = 0, step = 0, weight = 0;
  int stride = 0, count = 0;
};

/// Lists the ends of a process as tables on the host. Ends of one axis and side have no nodes in common.
template <class T>
struct CrossingTables {
  std::vector<CrossingEnd> ends;   ///< by axis and side
  std::array<int, 7> first{};      ///< of each axis and side
  std::vector<T> weights;          ///< neighbours of an axis and side beside each other
  std::vector<int> start, number;  ///< of each slot: its ends
};
template <class T>
CrossingTables<T> make_crossing_tables(const CrossingLines<T>& lines, const BlockSpace& blocks,
                                       const StackedLists& lists);

extern template CrossingTables<float> make_crossing_tables(const CrossingLines<float>&, const BlockSpace&,
                                                           const StackedLists&);
extern template CrossingTables<double> make_crossing_tables(const CrossingLines<double>&, const BlockSpace&,
                                                            const StackedLists&);

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
/// Ends the sum over all lines at the nodes of a group.
template <class T, class End>
struct EndNode {
  BlockShape shape;
  GroupMemory memory;
  const T* z;
  T* slots;
  End end;

  constexpr void operator()(std::int64_t i) const {
    const BlockShape::Node at = shape.node(i);
    const std::int64_t place = memory.at(at.patch, at.i, at.j, at.k);
    if (const int slot = shape.slot(at); slot >= 0)
      slots[slot] = z[place];
    else
      end.put(place, place, z[place]);
  }
};
/// Adds x before an end.
template <class T, class End>
struct AddBefore {
  const T* x;
  End end;
  constexpr void put(std::int64_t i, std::int64_t at, T value) const { end.put(i, at, value + x[i]); }
  constexpr void skip(std::int64_t at) const { end.skip(at); }
};

/// Owns the ends of a level on a device.
template <class Steps, class T>
class StackedCrossing {
 public:
  /// Collective.
  StackedCrossing(Steps& steps, const CrossingLines<T>& lines, const BlockSpace& blocks, const StackedLists& lists)
      : inverse_(steps.backend(), blocks.space, precision_of<T>), x_(steps.backend(), blocks.space, precision_of<T>) {
    const CrossingTables<T> tables = make_crossing_tables(lines, blocks, lists);
    first_ = tables.first;
    ends_ = steps.copy(tables.ends);
    weights_ = steps.copy(tables.weights);
    start_ = steps.copy(tables.start);
    number_ = steps.copy(tables.number);
    transfer(lines.inverse(), inverse_);
  }

  /// Returns the step that writes hᵀ r to all slots of the process.
  SumEnds<T> sums(const T* r, T* slots) const {
    return {static_cast<const CrossingEnd*>(ends_.data()),
            static_cast<const int*>(start_.data()),
            static_cast<const int*>(number_.data()),
            static_cast<const T*>(weights_.data()),
            r,
            slots};
  }
  /// Returns the end of their sums over interfaces, which writes x.
  PutCrossing<T> solution(const T* r) const {
    return {static_cast<const T*>(inverse_.data()), r, static_cast<T*>(x_.data())};
  }
  /// Adds h x to z at all nodes of blocks. Collective.
  void add(Steps& steps, T* z) const {
    steps.backend().exchange(x_);
    for (std::size_t list = 0; list < 6; ++list)
      steps.each(first_[list + 1] - first_[list],
                 AddEnd<T>{static_cast<const CrossingEnd*>(ends_.data()) + first_[list],
                           static_cast<const T*>(weights_.data()), x(), z});
  }
  /// Is x in the memory of fields.
  const T* x() const { return static_cast<const T*>(x_.data()); }
  std::size_t bytes() const {
    return inverse_.bytes() + x_.bytes() + ends_.bytes() + weights_.bytes() + start_.bytes() + number_.bytes();
  }

 private:
  std::array<int, 7> first_{};
  Buffer ends_, weights_, start_, number_;
  Field inverse_;
  mutable Field x_;
};

}  // namespace poisson
