#pragma once

namespace poisson {

/// An axis as a pass of several sweeps goes along it. What a part of it is after s of them depends on what s values
/// more on either side were before: of a part that is written after d sweeps, sweep s is taken for a margin of d − s
/// values, as far as there are unknowns. On an axis that closes on itself there are always: values beyond an end are
/// worked out twice, as those at the other end, with the same bits. Free of the standard library: kernels use it.
struct SweptAxis {
  int first, last;  ///< of the unknowns
  int values;
  bool closed;

  constexpr bool holds(int i) const { return closed || (i >= first && i < last); }
  /// Where value i lies; a halo of its own stands beside open ends alone.
  constexpr int place(int i) const {
    if (!closed || (i >= 0 && i < values)) return i;
    const int beyond = i % values;
    return beyond < 0 ? beyond + values : beyond;
  }
  /// The part from i on, or before it, with a margin.
  constexpr int from(int i, int margin) const { return closed || i - margin > first ? i - margin : first; }
  constexpr int before(int i, int margin) const { return closed || i + margin < last ? i + margin : last; }
};

}  // namespace poisson
