#pragma once

namespace poisson {

/// Describes an axis during a pass of several sweeps. The result at a value after s sweeps depends on s values on
/// either side. If values are written after d sweeps, sweep s therefore covers a margin of d − s values, as far as
/// there are unknowns. On a periodic axis there are always unknowns: values beyond an end are computed twice, with the
/// same bits as at the other end. At a cut the values of the neighbour are computed in the halo. Kernels use this
/// struct, so it does not use the standard library.
struct SweptAxis {
  int first, last;  ///< the unknowns here, which are written
  int values;
  bool closed;      ///< the axis is local and periodic
  int least, most;  ///< may be swept: the unknowns here, and the halo beyond a cut
  int halo;         ///< values beyond an end that are in memory

  constexpr bool holds(int i) const { return closed || (i >= least && i < most); }
  /// Returns whether the grid may end at value i, so that its row has half cells or couplings over an end.
  constexpr bool is_end(int i) const {
    return values > 1 && ((i == 0 && least >= 0) || (i == values - 1 && most <= values));
  }
  /// Returns the index where value i is stored. Only open ends and cuts have a separate halo.
  constexpr int place(int i) const {
    if (!closed || (i >= 0 && i < values)) return i;
    const int beyond = i % values;
    return beyond < 0 ? beyond + values : beyond;
  }
  /// Return the bounds of the range that starts at i, or ends before i, extended by a margin.
  constexpr int from(int i, int margin) const { return closed || i - margin > least ? i - margin : least; }
  constexpr int before(int i, int margin) const { return closed || i + margin < most ? i + margin : most; }
};

}  // namespace poisson
