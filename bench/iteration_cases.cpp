#include "bench/iteration_cases.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "grids/axes/stretching.hpp"

namespace poisson::bench {
namespace {

Problem equal_cells(const IterationCase&, int dimension, int n) {
  Problem p;
  p.dimension = dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n);
  return p;
}

// The last axes grow from cell to cell.
Problem geometric(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  for (int d = dimension - c.stretched; d < dimension; ++d)
    p.nodes[static_cast<std::size_t>(d)] =
        geometric_nodes(0, 1, n, geometric_ratio(c.ratio, n, StretchedEnd::lower), StretchedEnd::lower);
  return p;
}

// The last axis follows a hyperbolic tangent, finest at both ends. Its slopes there and in the middle differ by
// cosh²(strength/2).
Problem tangent(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  p.nodes[static_cast<std::size_t>(dimension) - 1] =
      tanh_nodes(0, 1, n, 2 * std::acosh(std::sqrt(c.ratio)), StretchedEnd::both);
  return p;
}

Problem flat_box(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  for (double& x : p.nodes[static_cast<std::size_t>(dimension) - 1]) x /= c.ratio;
  return p;
}

// For flat cells the sphere becomes an equally flat ellipsoid.
Problem sphere(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  const auto last = static_cast<std::size_t>(dimension) - 1;
  for (double& x : p.nodes[last]) x /= c.flatness;
  p.coefficient[0] = [dimension, last, flatness = c.flatness, ratio = c.ratio](double x, double y, double z) {
    std::array at{x, y, z};
    at[last] *= flatness;
    double square = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) square += (at[d] - 0.5) * (at[d] - 0.5);
    return square < 0.09 ? ratio : 1.0;
  };
  return p;
}

// Returns blocks of κ, `count` along each axis.
Quantity blocks(int count, double ratio) {
  return [count, ratio](double x, double y, double z) {
    return (static_cast<int>(x * count) + static_cast<int>(y * count) + static_cast<int>(z * count)) % 2 ? ratio : 1.0;
  };
}

Problem small_blocks(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  p.coefficient[0] = blocks(n / 8, c.ratio);
  return p;
}

Problem large_blocks(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  p.coefficient[0] = blocks(8, c.ratio);
  return p;
}

Problem random_cells(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  GridArray cells{Location::cell, {n, n, dimension == 3 ? n : 1}, {}};
  const std::size_t layer = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  cells.values.resize(dimension == 3 ? layer * static_cast<std::size_t>(n) : layer);
  for (std::size_t i = 0; i < cells.values.size(); ++i) cells.values[i] = random_number(i) < 0 ? c.ratio : 1.0;
  p.coefficient[0] = std::move(cells);
  return p;
}

// Returns a problem with κ = 1 and `ratio` along a direction 30° above the x axis.
Problem rotated(const IterationCase& c, int dimension, int n) {
  Problem p = equal_cells(c, dimension, n);
  const double cosine = std::numbers::sqrt3 / 2, sine = 0.5;
  p.isotropic = false;
  p.full_tensor = true;
  p.coefficient = {c.ratio * cosine * cosine + sine * sine, c.ratio * sine * sine + cosine * cosine, 1.0};
  p.offdiagonal[0] = (c.ratio - 1) * sine * cosine;
  return p;
}

std::string power(double ratio) {
  return "1e" + std::to_string(std::lround(std::log10(ratio)));
}

}  // namespace

std::vector<IterationCase> iteration_cases() {
  const auto all = [](int bound) { return std::array<std::optional<int>, 3>{bound, bound, bound}; };
  std::vector<IterationCase> cases;
  cases.push_back({"equal", "equal cells", equal_cells, all(9)});
  for (const int axes : {1, 2, 3})
    for (const double ratio : {1e1, 1e3, 1e5}) {
      IterationCase c{
          "geometric-" + std::to_string(axes) + "-" + power(ratio),
          "cells that grow by " + power(ratio) + " along " + std::to_string(axes) + (axes == 1 ? " axis" : " axes"),
          geometric, all(axes == 1 ? 12 : 15)};
      c.ratio = ratio;
      c.stretched = axes;
      cases.push_back(c);
    }
  for (const double ratio : {1e1, 1e3, 1e5}) {
    IterationCase c{"tanh-" + power(ratio), "the same by a hyperbolic tangent, " + power(ratio) + " along 1 axis",
                    tangent, all(12)};
    c.ratio = ratio;
    cases.push_back(c);
  }
  for (const double ratio : {1e1, 1e3, 1e5}) {
    IterationCase c{"flat-" + power(ratio), "equal cells " + power(ratio) + " times as wide as high", flat_box,
                    all(12)};
    c.ratio = ratio;
    cases.push_back(c);
  }
  for (const double ratio : {1e2, 1e4, 1e6}) {
    IterationCase c{
        "sphere-" + power(ratio), "coefficient " + power(ratio) + " in a sphere, or a disc", sphere, {28, 28, 15}};
    c.ratio = ratio;
    cases.push_back(c);
  }
  for (const double flatness : {1e1, 1e2})
    for (const double ratio : {1e2, 1e6}) {
      IterationCase c{"sphere-" + power(ratio) + "-flat-" + power(flatness),
                      "the same, sphere and cells " + power(flatness) + " times as wide as high",
                      sphere,
                      {28, 28, 15}};
      c.ratio = ratio;
      c.flatness = flatness;
      cases.push_back(c);
    }
  cases.push_back({"checkerboard-cells", "1 and 1e6, in a checkerboard of blocks of 8 cells a side", small_blocks,
                   all(30), 3, 1e6});
  cases.push_back({"checkerboard-blocks", "1 and 1e6, in a checkerboard of 8 blocks along each axis", large_blocks,
                   all(30), 3, 1e6});
  cases.push_back({"random", "1 or 1e6, at random in each cell", random_cells, {60, 60, 60}, std::nullopt, 1e6});
  IterationCase c{"rotated",    "a full tensor of 1000:1 turned by 30 degrees",
                  rotated,      {std::nullopt, 70, std::nullopt},
                  std::nullopt, 1e3};
  c.three = c.others = false;
  cases.push_back(c);
  return cases;
}

Problem problem_of(const IterationCase& c, Unknowns unknowns, int dimension, int cells) {
  Problem p = c.problem(c, dimension, cells);
  if (unknowns == Unknowns::elements) p.scheme = Scheme::q1;
  if (unknowns == Unknowns::cells) p.centering = Centering::cell;
  return p;
}

// The generator is SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
double random_number(std::uint64_t n) {
  std::uint64_t x = (n + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return std::ldexp(static_cast<double>(x >> 11), -52) - 1;
}

}  // namespace poisson::bench
