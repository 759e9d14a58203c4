#pragma once

#include "grids/problem/problem.hpp"

namespace poisson {

/// Is the one-dimensional mass matrix [own, off; off, own] of a cell of width 1. Its rows sum to 1/2.
struct ElementMass {
  double own, off;
};

/// Returns the mass matrix of a scheme. Linear elements have [2, 1; 1, 2]/6. The fourth-order compact scheme uses the
/// same products with [5, 1; 1, 5]/12. Its sum over cells is M = h (1, 10, 1)/12: with K = h (−δ²) the Taylor series of
/// K u and −M u″ differ by h⁵/240 u⁽⁶⁾.
constexpr ElementMass element_mass(Scheme scheme) {
  return scheme == Scheme::compact4 ? ElementMass{5.0 / 12, 1.0 / 12} : ElementMass{1.0 / 3, 1.0 / 6};
}

}  // namespace poisson
