#pragma once

#include "grids/problem/problem.hpp"

namespace poisson {

/// What is known of a datum over the box, or over a face, from some ten thousand points; of an array from its values.
struct Spread {
  double mean = 0, least = 0, largest = 0;
};
Spread spread_over_box(const Problem& problem, const Quantity& datum);

/// The problem with a mean, or another member of their spreads, in the place of a reaction and of alphas that vary, κ =
/// 1 and no full tensor: what is left of it is separable.
Problem with_constant_data(const Problem& problem, double Spread::*representative);
Problem with_mean_data(const Problem& problem);

}  // namespace poisson
