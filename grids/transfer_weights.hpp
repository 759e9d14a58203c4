#pragma once

#include <array>
#include <vector>

#include "grids/axis.hpp"

namespace poisson {

/// The one-dimensional factor of a multilinear prolongation P and its transpose, for one node-centred axis. Fine values
/// between two coarse ones take the mean weighted by distance; the others are copied.
struct LinearWeights {
  // Row i of P: weight[i] of coarse value left[i], 1 − weight[i] of the one after it (which is not read where the
  // weight is 1).
  std::vector<int> left;
  std::vector<double> weight;
  // Row I of Pᵀ: 1 of fine value centre[I], before[I] and after[I] of its neighbours.
  std::vector<int> centre;
  std::vector<double> before, after;
};
LinearWeights linear_weights(const Axis& fine, const CoarseAxis& coarse);

/// Four-point Lagrange interpolation from the coarse values of an axis: fine value i = Σ weight[i][p] ·
/// coarse[at[i][p]]. One-sided near ends; wrapped on periodic axes; of lower order where there are fewer than four
/// coarse values; linear where unequal cells would make the weights enlarge errors by more than a factor of 30
/// (Σ|weight|). Weights that vanish come last.
struct CubicWeights {
  std::vector<std::array<int, 4>> at;
  std::vector<std::array<double, 4>> weight;
};
CubicWeights cubic_weights(const Axis& fine, const CoarseAxis& coarse);

}  // namespace poisson
