#pragma once

#include "backends/memory/view.hpp"

namespace poisson {

/// Tests whether the coupling κ/h² along one axis exceeds the coupling along another axis by more than a factor of 4 in
/// a cell, on any backend. Entry 0 is the first axis. `width` contains one width for each cell, in the units of the
/// axes.
struct StrongerCoupling {
  static constexpr double factor = 4;

  int axis[2];
  View<const double> kappa[2];
  const double* width[2];

  constexpr bool operator()(int i, int j, int k) const {
    const int at[3] = {i, j, k};
    const double h = width[0][at[axis[0]]], other = width[1][at[axis[1]]];
    return kappa[0](i, j, k) * other * other > factor * kappa[1](i, j, k) * h * h;
  }
};

}  // namespace poisson
