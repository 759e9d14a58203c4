#pragma once

#include "grids/rows/band_coefficients.hpp"

namespace poisson {

/// Where the lines along an axis end, of which a process has a part: the first and the last unknown of those that do
/// not close on themselves, −1 where they go on.
struct LineEnds {
  int axis = 0, first = -1, last = -1;
};

/// What a part of a line holds of a row: what it sums to, and what couples it to the next one. A value beyond an end is
/// given, and its coupling part of the sum.
template <class T>
struct PartRow {
  T sum, onwards;
};
template <class T>
constexpr PartRow<T> part_row(const LineRow<T>& a, const LineEnds& ends, int i, int j, int k) {
  const int at = ends.axis == 0 ? i : ends.axis == 1 ? j : k;
  const bool last = at == ends.last;
  return {a.rest + (at == ends.first ? a.before : T(0)) + (last ? a.after : T(0)), last ? T(0) : a.after};
}

}  // namespace poisson
