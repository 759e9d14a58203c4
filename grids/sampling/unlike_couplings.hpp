#pragma once

#include "backends/view.hpp"

namespace poisson {

/// Whether the couplings κ/h² along two axes differ by more than a factor of 4 in a cell, for every backend. Widths are
/// in the units of the axes, one a cell.
struct UnlikeCouplings {
  static constexpr double factor = 4;

  int axis[2];
  View<const double> kappa[2];
  const double* width[2];

  constexpr bool operator()(int i, int j, int k) const {
    const int at[3] = {i, j, k};
    double coupling[2]{};
    for (int s = 0; s < 2; ++s) {
      const double h = width[s][at[axis[s]]];
      coupling[s] = kappa[s](i, j, k) / (h * h);
    }
    return coupling[0] > factor * coupling[1] || coupling[1] > factor * coupling[0];
  }
};

}  // namespace poisson
