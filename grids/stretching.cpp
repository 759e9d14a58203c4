#include "grids/stretching.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace poisson {
namespace {

// Nodes at lower + (upper − lower)·s(i / cells), where s maps [0, 1] onto itself; the ends are exact.
template <class S>
std::vector<double> mapped_nodes(double lower, double upper, int cells, const S& s) {
  std::vector<double> nodes(static_cast<std::size_t>(cells) + 1);
  for (int i = 0; i <= cells; ++i)
    nodes[static_cast<std::size_t>(i)] = lower + (upper - lower) * s(static_cast<double>(i) / cells);
  nodes.front() = lower;
  nodes.back() = upper;
  return nodes;
}

// (rᵐ − 1)/(r − 1) = 1 + r + … + r^(m−1) for real m ≥ 0, without cancellation near r = 1.
double geometric_sum(double ratio, double m) {
  const double q = std::log(ratio);
  return q == 0 ? m : std::expm1(m * q) / std::expm1(q);
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
  // Symmetric; with an odd number of cells the middle one is whole: its half counts as half a cell of the next size.
  const double half_length =
      geometric_sum(ratio, std::floor(n / 2)) + (cells % 2 ? 0.5 * std::pow(ratio, std::floor(n / 2)) : 0.0);
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

}  // namespace poisson
