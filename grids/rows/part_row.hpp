#pragma once

#include "grids/rows/band_coefficients.hpp"

namespace poisson {

/// Marks where the lines along an axis end. `first` and `last` are the first and the last unknown of lines that are not
/// periodic, or −1 if the line continues there.
struct LineEnds {
  int axis = 0, first = -1, last = -1;
};

/// Is a row as stored by a part of a line: its sum, and the coupling to the next value. A value beyond an end is given,
/// so its coupling is part of the sum.
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
