#include "grids/axes/stretching.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace poisson {
namespace {

// Returns nodes at lower + (upper − lower)·s(i / cells), where s maps [0, 1] onto itself. The ends are exact.
template <class S>
std::vector<double> mapped_nodes(double lower, double upper, int cells, const S& s) {
  std::vector<double> nodes(static_cast<std::size_t>(cells) + 1);
  for (int i = 0; i <= cells; ++i)
    nodes[static_cast<std::size_t>(i)] = lower + (upper - lower) * s(static_cast<double>(i) / cells);
  nodes.front() = lower;
  nodes.back() = upper;
  return nodes;
}

// Returns (rᵐ − 1)/(r − 1) = 1 + r + … + r^(m−1) for real m ≥ 0, without cancellation near r = 1.
double geometric_sum(double ratio, double m) {
  const double q = std::log(ratio);
  return q == 0 ? m : std::expm1(m * q) / std::expm1(q);
}

// Returns half the length of geometric_nodes that are small at both ends, in units of the cell at an end. If the number
// of cells is odd, half the middle cell counts as half a cell of the next size.
double geometric_half(double ratio, int cells) {
  const int whole = cells / 2;
  return geometric_sum(ratio, whole) + (cells % 2 ? 0.5 * std::pow(ratio, whole) : 0.0);
}

// Solves f(x) = value for decreasing f on [0, ∞).
template <class F>
double solve_falling(double value, const F& f) {
  double low = 0, high = 1;
  while (f(high) > value && high < 300) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) > value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::vector<double> uniform_nodes(double lower, double upper, int cells) {
  return mapped_nodes(lower, upper, cells, [](double t) { return t; });
}

std::vector<double> tanh_nodes(double lower, double upper, int cells, double strength, StretchedEnd at) {
  const double s = strength;
  switch (at) {
    case StretchedEnd::lower:
      return mapped_nodes(lower, upper, cells, [s](double t) { return 1 + std::tanh(s * (t - 1)) / std::tanh(s); });
    case StretchedEnd::upper:
      return mapped_nodes(lower, upper, cells, [s](double t) { return std::tanh(s * t) / std::tanh(s); });
    case StretchedEnd::both:
      break;
  }
  return mapped_nodes(lower, upper, cells,
                      [s](double t) { return 0.5 * (1 + std::tanh(s * (t - 0.5)) / std::tanh(0.5 * s)); });
}

std::vector<double> geometric_nodes(double lower, double upper, int cells, double ratio, StretchedEnd at) {
  const double n = cells;
  const auto from_lower = [=](double m, double count) { return geometric_sum(ratio, m) / geometric_sum(ratio, count); };
  switch (at) {
    case StretchedEnd::lower:
      return mapped_nodes(lower, upper, cells, [=](double t) { return from_lower(t * n, n); });
    case StretchedEnd::upper:
      return mapped_nodes(lower, upper, cells, [=](double t) { return 1 - from_lower((1 - t) * n, n); });
    case StretchedEnd::both:
      break;
  }
  const double half_length = geometric_half(ratio, cells);
  return mapped_nodes(lower, upper, cells, [=](double t) {
    const double from_end = std::round(std::min(t, 1 - t) * n);
    const double s = 0.5 * geometric_sum(ratio, from_end) / half_length;
    return t <= 0.5 ? s : 1 - s;
  });
}

double geometric_ratio(double expansion, int cells, StretchedEnd at) {
  const int steps = at == StretchedEnd::both ? (cells + 1) / 2 - 1 : cells - 1;
  return steps > 0 ? std::pow(expansion, 1.0 / steps) : 1.0;
}

double tanh_strength_of_first_cell(double first, double length, int cells, StretchedEnd at) {
  // An axis refined at both ends consists of two halves, each with half the length, half the cells and half the
  // strength.
  const double part = at == StretchedEnd::both ? 0.5 : 1.0;
  const double t = 1 / (part * cells);
  const double strength = solve_falling(first / (part * length), [t](double s) {
    // This is 1 − tanh(s (1 − t))/tanh(s) without its cancellation.
    return s == 0 ? t : std::sinh(s * t) / (std::sinh(s) * std::cosh(s * (1 - t)));
  });
  return strength / part;
}

double geometric_ratio_of_first_cell(double first, double length, int cells, StretchedEnd at) {
  const bool both = at == StretchedEnd::both;
  return std::exp(solve_falling(first / length, [=](double q) {
    const double ratio = std::exp(q);
    return both ? 0.5 / geometric_half(ratio, cells) : 1 / geometric_sum(ratio, cells);
  }));
}

}  // namespace poisson
