#pragma once

namespace poisson {

/// An axis as a pass of several sweeps goes along it. What a part of it is after s of them depends on what s values
/// more on either side were before: of a part that is written after d sweeps, sweep s is taken for a margin of d − s
/// values, as far as there are unknowns. On an axis that closes on itself there are always: values beyond an end are
/// worked out twice, as those at the other end, with the same bits. Where the axis is cut, the neighbour's are worked
/// out in the halo. Free of the standard library: kernels use it.
struct SweptAxis {
  int first, last;  ///< of the unknowns here, which are written
  int values;
  bool closed;      ///< all of it is here, and closes on itself
  int least, most;  ///< of all that may be swept: the unknowns here, and past a cut those in the halo
  int halo;         ///< values past an end that are in memory

  constexpr bool holds(int i) const { return closed || (i >= least && i < most); }
  /// Whether the grid may end with value i, so that its row has halves of cells or couplings over an end.
  constexpr bool is_end(int i) const {
    return values > 1 && ((i == 0 && least >= 0) || (i == values - 1 && most <= values));
  }
  /// Where value i lies; a halo of its own stands beside open ends and cuts alone.
  constexpr int place(int i) const {
    if (!closed || (i >= 0 && i < values)) return i;
    const int beyond = i % values;
    return beyond < 0 ? beyond + values : beyond;
  }
  /// The part from i on, or before it, with a margin.
  constexpr int from(int i, int margin) const { return closed || i - margin > least ? i - margin : least; }
  constexpr int before(int i, int margin) const { return closed || i + margin < most ? i + margin : most; }
};

}  // namespace poisson
