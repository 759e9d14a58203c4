// On mixed boundary faces each part must act like a face of its kind, and junctions of smooth data must keep the order.

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "tests/convergence.hpp"
#include "tests/oracles/problem_in_parts.hpp"
#include "tests/solve.hpp"

namespace poisson::mixed_bc_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;

Options tight() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-11;
  o.precision = SolvePrecision::double_;
  return o;
}

/// Returns a problem with κ and data that vary on cells of several widths.
Problem cells_between(const std::array<Boundary, 2>& across_x) {
  Problem p;
  p.centering = Centering::cell;
  p.nodes = {tanh_nodes(0, 1, 12, 1.5, StretchedEnd::both), uniform_nodes(0, 1, 16), uniform_nodes(0, 2, 14)};
  p.coefficient[0] = [](double x, double y, double z) { return 1 + x + 0.5 * std::sin(4 * y) * z; };
  p.source = [](double x, double y, double z) { return 1 + x * y - z; };
  p.boundary = {{across_x, {Boundary{D, 0.25}, Boundary{N, 0.0}}, {Boundary{N, 1.0}, Boundary{R, 1.0, 2.0}}}};
  return p;
}
Boundary given(BoundaryKind kind) {
  return {kind, [](double, double y, double z) { return 1 + y * z; }, [](double, double y, double) { return 1.5 + y; }};
}

TEST(MixedBc, OfOneKindIsThatKind) {
  for (const BoundaryKind kind : {D, N, R}) {
    const Quantity lower_half = [](double, double y, double) { return y < 0.5 ? 1.0 : 0.0; };
    Solve plain(cells_between({given(kind), Boundary{D, 0.5}}), tight());
    Solve parts(cells_between({mixed_bc({{given(kind), lower_half}, {given(kind)}}), Boundary{D, 0.5}}), tight());
    ASSERT_TRUE(plain.run().converged());
    ASSERT_TRUE(parts.run().converged());
    const std::vector<double> u = values(plain.solution()), v = values(parts.solution());
    for (std::size_t i = 0; i < u.size(); ++i)
      ASSERT_NEAR(u[i], v[i], 1e-9) << "kind " << static_cast<int>(kind) << ", value " << i;
  }
}

/// Among overlapping parts the first one counts. Points outside all parts are insulated.
TEST(MixedBc, TakesTheFirstPartAtAPoint) {
  const Quantity lower = [](double, double y, double) { return y < 0.5 ? 1.0 : 0.0; };
  const Quantity middle = [](double, double y, double) { return y > 0.25 && y < 0.75 ? 1.0 : 0.0; };
  const Boundary face = mixed_bc({{Boundary{R, 3.0, 2.0}, lower}, {Boundary{D, 5.0}, middle}});
  const std::vector<double> x(4), y{0.1, 0.4, 0.6, 0.9}, z(4);
  std::vector<double> value(4), alpha(4);
  (*face.value.function())(x, y, z, value);
  (*face.alpha.function())(x, y, z, alpha);
  EXPECT_EQ(alpha, (std::vector<double>{2, 2, penalty_alpha, 0}));
  EXPECT_EQ(value, (std::vector<double>{3, 3, 5 * penalty_alpha, 0}));
  EXPECT_THROW(mixed_bc({{Boundary{BoundaryKind::periodic}}}), std::invalid_argument);
}

/// The solution has its data on the parts of four faces, in two and three dimensions.
TEST(MixedBc, KeepsTheOrder) {
  for (const int dimension : {2, 3}) {
    const auto problem = [&](int n) {
      // The parts end between cells of every grid.
      Problem p = problem_in_parts(dimension, 0.5, n);
      p.centering = Centering::cell;
      return p;
    };
    const std::vector<int> cells = dimension == 2 ? std::vector{16, 32, 64, 128} : std::vector{16, 32};
    const auto orders = observed_orders(cells, problem, tight());
    record_least(orders);
    for (const ObservedOrder& order : orders) {
      EXPECT_GE(order.l2(), 1.8) << order;
      EXPECT_GE(order.max(), 1.4) << order;
    }
  }
}

/// Electrodes are on an insulated face: the current into one must leave through the other, in few cycles.
TEST(MixedBc, ConductsBetweenElectrodes) {
  Problem p;
  p.centering = Centering::cell;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 32);
  for (auto& axis : p.boundary) axis = {Boundary{N}, Boundary{N}};
  const auto electrode = [](double from, double to) {
    return Quantity([=](double, double y, double z) { return y > from && y < to && z > 0.25 && z < 0.75 ? 1.0 : 0.0; });
  };
  p.boundary[0][0] = mixed_bc(
      {{Boundary{D, 1.0}, electrode(0.125, 0.375)}, {Boundary{D, -1.0}, electrode(0.625, 0.875)}, {Boundary{N, 0.0}}});
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-8;
  Solve solve(p, options);
  const Result result = solve.run();
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 12);
  const std::vector<double> u = values(solve.solution());
  double most = 0, sum = 0;
  for (const double value : u) {
    most = std::max(most, std::abs(value));
    sum += value;
  }
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.8);
  EXPECT_NEAR(sum / static_cast<double>(u.size()), 0, 1e-7);  // both sides differ only in sign
}

}  // namespace
}  // namespace poisson::mixed_bc_tests
