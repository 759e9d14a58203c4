#pragma once

#include "backends/view.hpp"

namespace poisson {

/// Whether the coupling κ/h² along one axis exceeds that along another one by more than a factor of 4 in a cell, for
/// every backend. Entry 0 is the first axis. Widths are in the units of the axes, one a cell.
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
