#pragma once

#include "grids/problem/problem.hpp"

namespace poisson {

/// Summarizes a datum over the box or over a face, from about ten thousand points, or from the values of an array.
struct Spread {
  double mean = 0, least = 0, largest = 0;
};
Spread spread_over_box(const Problem& problem, const Quantity& datum);

/// Returns a separable problem: a varying reaction and varying alphas are replaced by their mean or another member of
/// their spreads, κ is 1, and there is no full tensor.
Problem with_constant_data(const Problem& problem, double Spread::*representative);
Problem with_mean_data(const Problem& problem);

}  // namespace poisson
