// Probes and pictures interpolate cell-centred u between the centres of cells. This must be exact for piecewise
// constant fluxes and any κ.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/cell_interpolation.hpp"
#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace poisson::cell_interpolation_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// Describes layers of unequal widths across an axis, with κ over eight decades and a constant flux.
struct Stack {
  std::vector<double> nodes{0.1}, kappa;
  double flux = 0.7;  // equals κ u'

  explicit Stack(int layers, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> width(0.1, 1), decades(-4, 4);
    for (int i = 0; i < layers; ++i) {
      nodes.push_back(nodes.back() + width(random));
      kappa.push_back(std::pow(10, decades(random)));
    }
  }
  std::size_t layer(double x) const {
    const auto next = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, x);
    return static_cast<std::size_t>(next - nodes.begin() - 1);
  }
  double kappa_at(double x) const { return kappa[layer(x)]; }
  double u(double x) const {
    double sum = 2;
    for (std::size_t i = 0; i < layer(x); ++i) sum += flux * (nodes[i + 1] - nodes[i]) / kappa[i];
    return sum + flux * (x - nodes[layer(x)]) / kappa[layer(x)];
  }
};

/// Returns the stack across an axis of a box, with its exact solution in the cells. `ends` are the conditions of that
/// axis. `others` are the conditions along the layers, where nothing flows: Dirichlet faces prescribe u, and α is 0.
Problem layered(const Stack& stack, int dimension, std::size_t axis, std::array<BoundaryKind, 2> ends,
                BoundaryKind others, bool isotropic) {
  constexpr double alpha = 3;
  const auto along = [axis](double x, double y, double z) { return std::array{x, y, z}[axis]; };
  Problem p;
  p.dimension = dimension;
  p.centering = Centering::cell;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    p.nodes[d] = geometric_nodes(0, 1, 4, 1.6, StretchedEnd::lower);
  p.nodes[axis] = stack.nodes;
  const Quantity u = [=](double x, double y, double z) { return stack.u(along(x, y, z)); };
  p.isotropic = isotropic;
  for (std::size_t d = 0; d < 3; ++d) {
    const double factor = d == axis ? 1 : d == 0 ? 50 : 1e-3;
    p.coefficient[d] = [=](double x, double y, double z) { return factor * stack.kappa_at(along(x, y, z)); };
    if (isotropic) p.coefficient[d] = [=](double x, double y, double z) { return stack.kappa_at(along(x, y, z)); };
    for (Boundary& face : p.boundary[d]) face = {others, others == D ? u : Quantity(0.0)};
  }
  for (std::size_t end = 0; end < 2; ++end) {
    const double at = end == 0 ? stack.nodes.front() : stack.nodes.back(), out = end == 0 ? -stack.flux : stack.flux;
    Boundary& face = p.boundary[axis][end];
    face = {ends[end], stack.u(at)};
    if (ends[end] == N) face.value = out;
    if (ends[end] == R) face = {R, out + alpha * stack.u(at), alpha};
  }
  p.initial = u;
  return p;
}

Field initial(const Discretization& d) {
  Field u(d.backend(), d.block().space(), Precision::fp64);
  d.initialize(u);
  return u;
}

/// Returns nodes, centres and places between them along an axis.
std::vector<double> places(const std::vector<double>& nodes) {
  std::vector<double> x{nodes.back()};
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    for (const double part : {0.0, 1e-9, 0.3, 0.5, 0.9}) x.push_back(nodes[i] + part * (nodes[i + 1] - nodes[i]));
  return x;
}

TEST(CellInterpolation, IsExactInStacksOfLayersAcrossEachAxis) {
  unsigned seed = 1;
  for (const int dimension : {2, 3})
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis)
      for (const auto& ends : {std::array{D, D}, {D, N}, {R, D}, {N, R}, {R, R}})
        for (const auto others : {N, R, D, P})
          for (const bool isotropic : {true, false}) {
            const Stack stack(seed % 3 == 0 ? 2 : 7, seed);
            ++seed;
            const Problem p = layered(stack, dimension, axis, ends, others, isotropic);
            const auto backend = test_backend();
            const Discretization d(*backend, std::as_const(p));
            const Field u = initial(d);
            const double range = std::abs(stack.u(stack.nodes.back())) + std::abs(stack.u(stack.nodes.front()));
            for (const double x : places(stack.nodes))
              for (const double side : {0.0, 0.02, 0.37, 1.0}) {
                std::array point{side, side, side};
                point[axis] = x;
                const auto at = std::span(point).first(static_cast<std::size_t>(dimension));
                ASSERT_NEAR(interpolate_at(d, u, at), stack.u(x), 1e-12 * range)
                    << dimension << " " << axis << " seed " << seed << " at " << x << ", " << side;
              }
          }
}

/// Returns a problem with blocks of κ over eight decades and random values and data.
Problem rough(int dimension, bool isotropic) {
  const auto noise = [](double low, double high, int kind) {
    return [=](double x, double y, double z) {
      const double t = std::sin(12.9898 * x + 78.233 * y + 37.719 * z + kind) * 43758.5453;
      return low + (high - low) * (t - std::floor(t));
    };
  };
  Problem p;
  p.dimension = dimension;
  p.centering = Centering::cell;
  p.isotropic = isotropic;
  p.nodes = {geometric_nodes(0, 1, 7, 1.3, StretchedEnd::lower), uniform_nodes(0, 2, 6), {}};
  if (dimension == 3) p.nodes[2] = uniform_nodes(0, 1, 5);
  for (std::size_t d = 0; d < 3; ++d)
    p.coefficient[d] = [=](double x, double y, double z) {
      return std::pow(10, noise(-4, 4, static_cast<int>(d))(x, y, z));
    };
  for (Boundary& face : p.boundary[0]) face = {D, noise(-1, 1, 5)};
  p.boundary[1] = {Boundary{N, 0.0}, Boundary{R, noise(-0.1, 0.1, 7), 0.1}};
  for (Boundary& face : p.boundary[2]) face = {P};
  p.initial = noise(-1, 1, 6);
  return p;
}

TEST(CellInterpolation, IsContinuousAndHasNoExtremaOfItsOwn) {
  for (const int dimension : {2, 3})
    for (const bool isotropic : {true, false}) {
      const Problem p = rough(dimension, isotropic);
      const auto backend = test_backend();
      const Discretization d(*backend, std::as_const(p));
      const Field u = initial(d);
      const auto value = [&](std::array<double, 3> at) {
        return interpolate_at(d, u, std::span(at).first(static_cast<std::size_t>(dimension)));
      };
      const auto n = static_cast<std::size_t>(dimension);
      std::mt19937 random(7);
      for (int sample = 0; sample < 100; ++sample) {
        std::array<double, 3> at{};
        for (std::size_t e = 0; e < n; ++e)
          at[e] = p.nodes[e].back() * std::uniform_real_distribution<double>(0, 1)(random);
        const std::size_t across = static_cast<std::size_t>(sample) % n;
        at[across] = p.nodes[across][1 + static_cast<std::size_t>(sample) % (p.nodes[across].size() - 2)];
        std::array below = at, above = at;
        below[across] -= 1e-11;
        above[across] += 1e-11;
        ASSERT_NEAR(value(below), value(above), 1e-7) << sample;
        ASSERT_LE(std::abs(value(at)), 1 + 1e-12) << sample;
      }
    }
}

TEST(CellInterpolation, GivesTheDataOfDirichletFacesNextToFluxes) {
  Problem p;
  p.dimension = 2;
  p.centering = Centering::cell;
  p.nodes = {uniform_nodes(0, 1, 4), uniform_nodes(0, 1, 4), {}};
  p.coefficient[0] = 0.1;
  p.boundary[0] = {Boundary{D, 3.0}, Boundary{N, 5.0}};
  p.boundary[1] = {Boundary{N, -7.0}, Boundary{R, 40.0, 2.0}};
  const auto backend = test_backend();
  const Discretization d(*backend, std::as_const(p));
  const Field u = initial(d);
  for (const double y : {0.0, 0.05, 0.3, 0.99, 1.0}) EXPECT_NEAR(interpolate_at(d, u, std::array{0.0, y}), 3, 1e-14);
  // Over half a cell of 1/8 and κ = 0.1, a flux of 5 raises u by 6.25 above 0 in the cell.
  EXPECT_NEAR(interpolate_at(d, u, std::array{1.0, 0.375}), 6.25, 1e-12);
  EXPECT_NEAR(interpolate_at(d, u, std::array{0.375, 0.0}), -8.75, 1e-12);
  EXPECT_NEAR(interpolate_at(d, u, std::array{1.0, 0.0}), -2.5, 1e-12);
  // The Robin condition is 0.1·8 (v − 0) = 40 − 2v.
  EXPECT_NEAR(interpolate_at(d, u, std::array{0.375, 1.0}), 40 / 2.8, 1e-12);
}

/// In an insulating cell, the corner at a conductor must have the conductor's value.
TEST(CellInterpolation, FollowsTheConductorAtACorner) {
  Problem p;
  p.dimension = 2;
  p.centering = Centering::cell;
  p.nodes = {uniform_nodes(0, 2, 2), uniform_nodes(0, 2, 2), {}};
  p.coefficient[0] = [](double x, double y, double) { return x < 1 && y < 1 ? 1.0 : 1e-6; };
  p.initial = [](double x, double y, double) { return x < 1 && y < 1 ? 10.0 : 0.0; };
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face = {N, 0.0};
  const auto backend = test_backend();
  const Discretization d(*backend, std::as_const(p));
  const Field u = initial(d);
  EXPECT_NEAR(interpolate_at(d, u, std::array{1.0, 1.0}), 10, 1e-4);
  EXPECT_NEAR(interpolate_at(d, u, std::array{1.0, 0.5}), 10, 1e-4);
  EXPECT_NEAR(interpolate_at(d, u, std::array{1.25, 0.5}), 5, 1e-4);
}

TEST(CellInterpolation, OnPlanesIsThatOfPoints) {
  for (const int dimension : {2, 3}) {
    const Problem p = rough(dimension, true);
    const auto backend = test_backend();
    const Discretization d(*backend, std::as_const(p));
    const Field u = initial(d);
    for (std::size_t normal = dimension == 2 ? 2 : 0; normal < 3; ++normal) {
      const std::size_t a = normal == 0 ? 1 : 0, b = normal == 2 ? 1 : 2;
      const double position = dimension == 2 ? 0 : 0.4 * p.nodes[normal].back();
      const std::vector<double> values = values_on_plane(d, u, normal, position);
      const std::size_t columns = 2 * p.nodes[a].size() - 1, rows = 2 * p.nodes[b].size() - 1;
      ASSERT_EQ(values.size(), columns * rows);
      const auto line = [&](std::size_t axis, std::size_t half) {
        const auto& x = p.nodes[axis];
        return half % 2 == 0 ? x[half / 2] : x[half / 2] / 2 + x[half / 2 + 1] / 2;
      };
      for (std::size_t v = 0; v < rows; ++v)
        for (std::size_t h = 0; h < columns; ++h) {
          std::array<double, 3> at{};
          at[normal] = position;
          at[a] = line(a, h);
          at[b] = line(b, v);
          const auto point = std::span(at).first(static_cast<std::size_t>(dimension));
          ASSERT_NEAR(values[v * columns + h], interpolate_at(d, u, point), 1e-11) << normal << " " << h << " " << v;
        }
    }
  }
}

TEST(CellInterpolation, OfSeveralProcessesHasTheBitsOfOne) {
  for (const int dimension : {2, 3}) {
    Problem p = rough(dimension, false);
    p.nodes[0] = geometric_nodes(0, 1, 15, 1.1, StretchedEnd::lower);
    p.nodes[1] = uniform_nodes(0, 2, 14);
    if (dimension == 3) p.nodes[2] = uniform_nodes(0, 1, 16);
    std::vector<std::vector<double>> points;
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
      points.emplace_back();
      for (std::size_t e = 0; e < static_cast<std::size_t>(dimension); ++e) {
        const auto& x = p.nodes[e];
        const double between = x.back() * std::uniform_real_distribution<double>(0, 1)(random);
        points.back().push_back(i % 3 == 0 ? x[random() % x.size()] : between);
      }
    }
    const auto found = [&](const Sharing& sharing) {
      const auto backend = test_backend();
      const Discretization d(*backend, std::as_const(p), Assembly::automatic, Sampling::automatic, sharing);
      const Field u = initial(d);
      std::vector<double> values;
      for (const auto& point : points) values.push_back(interpolate_at(d, u, point));
      return values;
    };
    const std::vector<double> of_one = found({});
    const std::vector<std::array<int, 3>> all_parts{{1, 2, 1}, {2, 1, 1}, {2, 2, 1}, {1, 2, 2}, {2, 2, 2}};
    for (const std::array parts : std::span(all_parts).first(on_cpu() ? 5 : 1)) {
      if (dimension == 2 && parts[2] > 1) continue;
      as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
        EXPECT_EQ(found({processes, parts}), of_one) << parts[0] << parts[1] << parts[2];
      });
    }
  }
}

}  // namespace
}  // namespace poisson::cell_interpolation_tests
