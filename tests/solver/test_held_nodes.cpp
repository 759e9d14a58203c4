// Faces of several kinds for unknowns at nodes: nodes of Dirichlet parts are held, all others solved for.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_face.hpp"
#include "grids/results/integrals.hpp"
#include "tests/convergence.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;

Options tight() {
  Options o;
  o.tolerance = 1e-11;
  o.precision = SolvePrecision::double_;
  return o;
}

/// κ, σ and data that vary on cells of several widths.
Problem nodes_between(const std::array<Boundary, 2>& across_x, Scheme scheme) {
  Problem p;
  p.scheme = scheme;
  p.nodes = {tanh_nodes(0, 1, 12, 1.5, StretchedEnd::both), uniform_nodes(0, 1, 16), uniform_nodes(0, 2, 14)};
  p.coefficient[0] = [](double x, double y, double z) { return 1 + x + 0.5 * std::sin(4 * y) * z; };
  p.reaction = [](double x, double, double) { return 0.5 + x; };
  p.source = [](double x, double y, double z) { return 1 + x * y - z; };
  p.boundary = {{across_x, {Boundary{D, 0.25}, Boundary{N, 0.0}}, {Boundary{N, 1.0}, Boundary{R, 1.0, 2.0}}}};
  return p;
}
Boundary given(BoundaryKind kind) {
  return {kind, [](double, double y, double z) { return 1 + y * z; }, [](double, double y, double) { return 1.5 + y; }};
}

class HeldNodes : public testing::TestWithParam<Scheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, HeldNodes, testing::Values(Scheme::fv, Scheme::q1),
                         [](const auto& info) { return info.param == Scheme::fv ? "volumes" : "elements"; });

TEST_P(HeldNodes, OfOneKindAreThatKind) {
  for (const BoundaryKind kind : {D, N, R}) {
    const Quantity lower_half = [](double, double y, double) { return y < 0.5 ? 1.0 : 0.0; };
    Solve plain(nodes_between({given(kind), Boundary{D, 0.5}}, GetParam()), tight());
    Solve parts(nodes_between({mixed_face({{given(kind), lower_half}, {given(kind)}}), Boundary{D, 0.5}}, GetParam()), tight());
    const Result one = plain.run(), several = parts.run();
    ASSERT_TRUE(one.converged());
    ASSERT_TRUE(several.converged());
    EXPECT_LE(several.iterations, one.iterations + 3);
    const std::vector<double> u = values(plain.solution()), v = values(parts.solution());
    for (std::size_t i = 0; i < u.size(); ++i)
      ASSERT_NEAR(u[i], v[i], 1e-9) << "kind " << static_cast<int>(kind) << ", value " << i;
    const auto balance_of = [](Solve& s) {
      return balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
    };
    const Balance a = balance_of(plain), b = balance_of(parts);
    for (std::size_t f = 0; f < 6; ++f) EXPECT_NEAR(a.flux[f], b.flux[f], 1e-8) << "face " << f;
  }
}

/// A solution whose data stand on the parts of four faces, in two and three dimensions.
TEST_P(HeldNodes, KeepTheOrder) {
  for (const int dimension : {2, 3}) {
    Manufactured known;
    known.dimension = dimension;
    known.kinds = {{{D, D}, {D, N}, {N, D}}};
    known.kappa[0] = {1, 0.3, known.product(0, {2, 3, 1}, {0.3, 0.1, 0.7})};
    known.alpha = {2, 0, {}};
    known.solution = known.product(0.5, {2, 1.5, 1}, {0.4, 0.2, 0.3});
    const auto face = [known](std::size_t d, std::size_t end) {
      const auto of_kind = [&](BoundaryKind kind) {
        Manufactured same = known;
        same.kinds[d][end] = kind;
        return Boundary{kind, [=](double x, double y, double z) { return same.face_value(d, end, {x, y, z}); }, 2.0};
      };
      const Quantity held = [d](double x, double y, double) { return (d == 0 ? y : x) < 0.47 ? 1.0 : 0.0; };
      const Quantity open = [d](double x, double y, double) { return (d == 0 ? y : x) < 0.75 ? 1.0 : 0.0; };
      return mixed_face({{of_kind(D), held}, {of_kind(N), open}, {of_kind(R)}});
    };
    const auto problem = [&](int n) {
      std::array<std::vector<double>, 3> nodes;
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) nodes[d] = uniform_nodes(0, 1, n);
      Problem p = known.problem(nodes);
      p.scheme = GetParam();
      for (const auto& [d, end] : {std::array<std::size_t, 2>{0, 0}, {0, 1}, {1, 0}, {1, 1}})
        p.boundary[d][end] = face(d, end);
      return p;
    };
    const std::vector<int> cells = dimension == 2 ? std::vector{16, 32, 64, 128} : std::vector{16, 32};
    const auto orders = observed_orders(cells, problem, tight());
    record_least(orders);
    for (const ObservedOrder& order : orders) {
      EXPECT_GE(order.l2(), 1.8) << order;
      EXPECT_GE(order.max(), 1.8) << order;
    }
  }
}

/// Half a face held beside one that is held as a whole, and electrodes on an insulated one: iterations as of pure kinds.
TEST_P(HeldNodes, TakeFewCycles) {
  const Quantity lower = [](double, double y, double z) { return y < 0.5 && z < 0.7 ? 1.0 : 0.0; };
  const auto electrode = [](double from, double to) {
    return Quantity([=](double, double y, double z) {
      return y > from && y < to && (z == 0 || (z > 0.25 && z < 0.75)) ? 1.0 : 0.0;
    });
  };
  const std::array<std::array<int, 3>, 9> grids{{{32, 32, 0}, {47, 61, 0}, {128, 128, 0}, {251, 97, 0}, {512, 512, 0},
                                                {16, 16, 16}, {17, 31, 23}, {32, 32, 32}, {61, 37, 47}}};
  for (const auto& n : grids) {
    Problem p;
    p.dimension = n[2] == 0 ? 2 : 3;
    p.scheme = GetParam();
    p.source = [](double x, double y, double z) { return std::sin(20 * x * y) + z; };
    p.coefficient[0] = [](double x, double y, double z) { return 1.2 + std::sin(5 * x + 3 * y - z); };
    for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n[d]);
    for (auto& axis : p.boundary) axis = {Boundary{N}, Boundary{N}};
    Options options;
    options.tolerance = 1e-8;
    options.krylov = Krylov::cg;
    const auto iterations = [&](const Boundary& lower_face, const Boundary& upper_face) {
      p.boundary[0] = {lower_face, upper_face};
      Solve solve(p, options);
      const Result result = solve.run();
      EXPECT_TRUE(result.converged());
      return result.iterations;
    };
    const int dirichlet = iterations({D, 1.0}, {D, 0.0}), one = iterations({D, 1.0}, {N, 0.0});
    options.full_multigrid = false;
    const int dirichlet0 = iterations({D, 1.0}, {D, 0.0}), one0 = iterations({D, 1.0}, {N, 0.0});
    options.full_multigrid = true;
    p.centering = Centering::cell;
    p.scheme = Scheme::fv;
    const int cellhalf = iterations(mixed_face({{Boundary{D, 1.0}, lower}, {Boundary{N, 0.0}}}), {N, 0.0});
    const int cellel = 
        iterations(mixed_face({{Boundary{D, 1.0}, electrode(0.125, 0.375)}, {Boundary{D, -1.0}, electrode(0.625, 0.875)},
                               {Boundary{N, 0.0}}}), {N, 0.0});
    p.centering = Centering::node;
    p.scheme = GetParam();
    std::printf("no fmg DD %d DN %d cells: half %d electrodes %d  ", dirichlet0, one0, cellhalf, cellel);
    const int half = iterations(mixed_face({{Boundary{D, 1.0}, lower}, {Boundary{N, 0.0}}}), {N, 0.0});
    const int both = iterations(mixed_face({{Boundary{D, 1.0}, lower}, {Boundary{N, 0.0}}}), {D, 0.0});
    const int electrodes =
        iterations(mixed_face({{Boundary{D, 1.0}, electrode(0.125, 0.375)}, {Boundary{D, -1.0}, electrode(0.625, 0.875)},
                               {Boundary{N, 0.0}}}), {N, 0.0});
    const int thin =
        iterations(mixed_face({{Boundary{D, 1.0}, electrode(0.49, 0.49 + 1.0 / n[1])}, {Boundary{N, 0.0}}}), {N, 0.0});
    std::printf("%d %d %d: DD %d DN %d, half-N %d half-D %d electrodes %d thin %d\n", n[0], n[1], n[2], dirichlet, one, half,
                both, electrodes, thin);
  }
}

}  // namespace
}  // namespace poisson
