#include "grids/compact/eigenvalue_steps.hpp"

#include <algorithm>
#include <cmath>

namespace poisson {
namespace {

// Returns the largest eigenvalue of a symmetric tridiagonal matrix by bisection with Sturm's sequence.
double largest_of_tridiagonal(const std::vector<double>& d, const std::vector<double>& e) {
  double low = d[0], high = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double radius = (i > 0 ? std::abs(e[i - 1]) : 0) + (i + 1 < d.size() ? std::abs(e[i]) : 0);
    low = std::max(low, d[i]);
    high = std::max(high, d[i] + radius);
  }
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    bool above = false;  // whether an eigenvalue exceeds the middle
    double q = 1;
    for (std::size_t i = 0; i < d.size(); ++i) {
      q = d[i] - middle - (i > 0 ? e[i - 1] * e[i - 1] / (q == 0 ? 1e-300 : q) : 0);
      above = above || q > 0;
    }
    (above ? low : high) = middle;
  }
  return high;
}

// Returns the largest eigenvalue after some steps; 0: none.
double ritz_value(const double* norm, const double* alpha, int steps) {
  constexpr double nothing = 1e-12;
  std::vector<double> diagonal, beside;
  for (int step = 0; step < steps && norm[step] > 0; ++step) {
    diagonal.push_back(alpha[step]);
    beside.push_back(std::sqrt(norm[step + 1]));
    if (!(beside.back() > nothing * std::abs(alpha[step]))) break;
  }
  return diagonal.empty() ? 0 : largest_of_tridiagonal(diagonal, beside);
}

}  // namespace

double largest_of_lanczos(const double* norm, const double* alpha, int steps) {
  constexpr double margin = 1.06;
  return norm[0] > 0 ? margin * ritz_value(norm, alpha, steps) : 1;
}

bool reaches_bound(const double* norm, const double* alpha, double bound) {
  constexpr double near = 1.15;
  return bound > 0 && near * ritz_value(norm, alpha, first_lanczos_steps) >= bound;
}

}  // namespace poisson
