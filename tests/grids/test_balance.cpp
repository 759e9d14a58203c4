// These tests check the balance of fluxes, sources and reactions of discrete solutions, with closed forms and
// interpolation.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/processes.hpp"
#include "tests/solve.hpp"

namespace poisson::balance_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;
constexpr std::array<Kinds, 9> all_kinds{{{{{D, D}, {D, D}, {D, D}}},
                                          {{{N, N}, {N, N}, {N, N}}},
                                          {{{R, R}, {R, R}, {R, R}}},
                                          {{{P, P}, {P, P}, {P, P}}},
                                          {{{D, N}, {P, P}, {R, D}}},
                                          {{{N, R}, {D, D}, {P, P}}},
                                          {{{D, D}, {R, N}, {N, N}}},
                                          {{{P, P}, {N, D}, {R, R}}},
                                          {{{N, D}, {R, D}, {D, N}}}}};

Balance balance_of(Solve& s) {
  return balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
}

// Returns a problem on stretched axes with odd sizes. `amplitude` is that of κ, σ and α.
Problem varied(int dimension, const Kinds& kinds, double amplitude, double sigma, bool isotropic) {
  Manufactured m;
  m.dimension = dimension;
  m.lengths = {1, 0.7, 2};
  m.kinds = kinds;
  m.isotropic = isotropic;
  m.solution = m.product(1.3, {2.1, 2.6, 1.7}, {0.3, -0.4, 0.2});
  for (std::size_t d = 0; d < 3; ++d)
    m.kappa[d] = {1.5 + static_cast<double>(d), amplitude, m.product(0, {2, 1.4, 1.6}, {0.8, 0.5, 0.6})};
  m.sigma = {sigma, amplitude, m.product(0, {1.5, 1.2, 1.1}, {0.4, 0.9, 0.1})};
  m.alpha = {2, amplitude, m.product(0, {1.4, 1.3, 1.2}, {0.2, 0.7, 1.1})};
  return m.problem({tanh_nodes(0, 1, 19, 1.5, StretchedEnd::lower), uniform_nodes(0, 0.7, 14),
                    dimension == 3 ? geometric_nodes(0, 2, 11, 1.1, StretchedEnd::both) : std::vector<double>{}});
}

class Conservation : public testing::TestWithParam<std::tuple<int, Centering>> {};  // parameters include the dimension

TEST_P(Conservation, HoldsToRoundingLongBeforeConvergence) {
  const auto [dimension, centering] = GetParam();
  for (const Kinds& kinds : all_kinds)
    for (const double amplitude : {0.0, 0.6})
      for (const double sigma : {0.0, 4.0})
        for (const bool isotropic : {true, false}) {
          SCOPED_TRACE(testing::Message() << "kinds " << &kinds - all_kinds.data() << ", amplitude " << amplitude
                                          << ", reaction " << sigma << ", isotropic " << isotropic);
          Options options{.method = Method::multigrid};
          options.tolerance = 0;
          options.max_iterations = 1;
          options.full_multigrid = false;
          Problem problem = varied(dimension, kinds, amplitude, sigma, isotropic);
          problem.centering = centering;
          Solve s(problem, options);
          const Result result = s.run();
          const Balance b = balance_of(s);
          const double projected = result.projected / s.solver().A().scale();
          double sum = b.source - b.reaction + b.residual - projected, size = std::abs(b.source);
          for (const double flux : b.flux) {
            sum += flux;
            size += std::abs(flux);
          }
          EXPECT_NEAR(sum, 0, 1e-12 * size);
          EXPECT_EQ(b.reaction != 0, sigma > 0);
          EXPECT_EQ(projected != 0, s.solver().A().singular());
          // The iteration has not converged, so the balance contains a residual, except that its sum is zero for
          // singular problems.
          if (!s.solver().A().singular()) {
            EXPECT_GT(std::abs(b.residual), 1e-9 * size);
          }
        }
}

INSTANTIATE_TEST_SUITE_P(, Conservation,
                         testing::Combine(testing::Values(2, 3), testing::Values(Centering::node, Centering::cell)),
                         [](const auto& p) {
                           return "In" + std::to_string(std::get<0>(p.param)) + "D" +
                                  (std::get<1>(p.param) == Centering::cell ? "OfCells" : "");
                         });

std::vector<double> flows_of(const Problem& problem, const Sharing& sharing) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const auto A = d.make_operator(Precision::fp64);
  Field u(*backend, A->space(), Precision::fp64), b(*backend, A->space(), Precision::fp64),
      work(*backend, A->space(), Precision::fp64);
  d.assemble_rhs(b);
  d.initialize(u);
  const Balance found = balance(d, *A, u, b, work);
  std::vector<double> all{found.source, found.reaction, found.residual};
  all.insert(all.end(), found.flux.begin(), found.flux.end());
  return all;
}

// The cuts may lie between any planes.
TEST(Balance, HasTheSameBitsInAnyNumberOfSlabs) {
  for (const int dimension : {3, 2})
    for (const auto& [scheme, centering] :
         {std::pair{Scheme::fv, Centering::node}, {Scheme::fv, Centering::cell}, {Scheme::q1, Centering::node}})
      for (const Kinds& kinds : all_kinds)
        for (const double amplitude : {0.0, 0.6}) {
          Problem p = varied(dimension, kinds, amplitude, 4, true);
          p.scheme = scheme;
          p.centering = centering;
          p.initial = [](double x, double y, double z) { return std::sin(17 * x + 3 * y) + 0.3 * y - 1.1 * z * z; };
          const std::vector<double> wanted = flows_of(p, {});
          for (const int count : {2, 3, 4}) {
            SCOPED_TRACE(testing::Message() << dimension << "-D, scheme " << static_cast<int>(scheme) << ", cells "
                                            << (centering == Centering::cell) << ", kinds " << &kinds - all_kinds.data()
                                            << ", amplitude " << amplitude << ", " << count << " slabs");
            std::array parts{1, 1, count};
            if (dimension == 2) std::swap(parts[1], parts[2]);
            as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
              const std::vector<double> found = flows_of(p, {processes, parts, 300});
              double size = 0;
              for (const double flow : wanted) size = std::max(size, std::abs(flow));
              for (std::size_t i = 0; i < found.size(); ++i) {
                SCOPED_TRACE(testing::Message() << "number " << i);
                // Kernels of a GPU process planes in batches from the start of each part, and rows differ by a rounding
                // or two.
                if (on_cpu() || i < 2 || (i > 2 && centering == Centering::cell))
                  EXPECT_EQ(found[i], wanted[i]);
                else
                  EXPECT_NEAR(found[i], wanted[i], 1e-12 * size);
              }
            });
          }
        }
}

Options tight() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-13;
  o.precision = SolvePrecision::double_;
  return o;
}

TEST(Flux, ThroughABarIsItsClosedForm) {
  // κ is 3 on a bar of length 2 and cross section 0.5 × 0.25 with insulated sides.
  for (const auto& [stretched, centering] : {std::pair{false, Centering::node},
                                             {true, Centering::node},
                                             {false, Centering::cell},
                                             {true, Centering::cell}}) {
    Problem p;
    p.centering = centering;
    p.nodes = {stretched ? tanh_nodes(0, 2, 24, 2, StretchedEnd::both) : uniform_nodes(0, 2, 24),
               uniform_nodes(0, 0.5, 6), uniform_nodes(0, 0.25, 8)};
    p.coefficient[0] = 3.0;
    for (auto& axis : p.boundary)
      for (Boundary& face : axis) face.kind = N;
    const auto expect = [&](double lower, double upper) {
      Solve s(p, tight());
      s.run();
      const Balance b = balance_of(s);
      const double area = 0.125, scale = std::abs(lower) + std::abs(upper);
      EXPECT_NEAR(b.flux[0], lower * area, 1e-10 * scale);
      EXPECT_NEAR(b.flux[1], upper * area, 1e-10 * scale);
      for (std::size_t side = 2; side < b.flux.size(); ++side) EXPECT_NEAR(b.flux[side], 0, 1e-10 * scale);
    };
    p.boundary[0] = {Boundary{D, 5.0}, Boundary{D, 9.0}};  // u = 5 + 2x
    expect(-6, 6);
    p.source = 12.0;  // u = 5 + 6x − 2x²
    expect(-18, -6);
    p.source = 0.0;
    p.boundary[0][1] = {R, 4.0 * 9, 4.0};  // 4 drops from 5 to 9 over resistances 1/4 + 2/3
    expect(-4 / (1.0 / 4 + 2.0 / 3), 4 / (1.0 / 4 + 2.0 / 3));
    p.boundary[0][1] = {N, 7.0};
    expect(-7, 7);
    // Resistances of two layers with κ = 3 and κ = 1 add.
    p.boundary[0] = {Boundary{D, 0.0}, Boundary{D, 1.0}};
    p.coefficient[0] = [](double x, double, double) { return x < 1 ? 3.0 : 1.0; };
    expect(-1 / (1.0 / 3 + 1), 1 / (1.0 / 3 + 1));
  }
}

TEST(Flux, OfACubeWithALidObeysItsSymmetry) {
  Problem p;
  for (auto& axis : p.nodes) axis = uniform_nodes(0, 1, 16);
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face = {D, 0.0};
  p.boundary[2][1].value = 1.0;
  Solve s(p, tight());
  s.run();
  const Balance b = balance_of(s);
  for (const std::size_t side : {1, 2, 3}) EXPECT_NEAR(b.flux[side], b.flux[0], 1e-11);
  EXPECT_GT(b.flux[5], 0);
  EXPECT_NEAR(b.flux[5], -(4 * b.flux[0] + b.flux[4]), 1e-11);
  EXPECT_NEAR(interpolate_at(s.block(), s.solution(), std::array{0.5, 0.5, 0.5}), 1.0 / 6, 1e-12);
}

TEST(Norms, AreThoseOfKnownFunctions) {
  Problem p;
  p.nodes = {tanh_nodes(0, 1, 40, 1.5, StretchedEnd::lower), uniform_nodes(0, 2, 30), uniform_nodes(0, 1, 4)};
  p.initial = p.exact = [](double x, double y, double) { return 1 + 2 * x - 3 * y; };
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.kind = N;
  p.boundary[0][0] = {D, [](double, double y, double) { return 1 - 3 * y; }};
  Solve s(p, tight());
  const SolutionNorms n = solution_norms(s.discretization(), s.solution());
  EXPECT_NEAR(n.min, -5, 1e-14);
  EXPECT_NEAR(n.max, 3, 1e-14);
  EXPECT_NEAR(n.integral, -2, 1e-12);  // the trapezoidal rule is exact
  EXPECT_NEAR(n.l2 * n.l2, 2 * (4.0 / 12 + 36.0 / 12 + 1), 2e-2);
  EXPECT_LE(error_norms(s.discretization(), s.solution()).max, 1e-14);
  s.backend().axpy(s.backend().scalar(0.25), s.solution(), s.solution());
  EXPECT_NEAR(error_norms(s.discretization(), s.solution()).max, 1.25, 1e-13);
  EXPECT_NEAR(error_norms(s.discretization(), s.solution()).l2, 0.25 * n.l2, 1e-13);
}

TEST(Interpolation, ReproducesLinearFunctions) {
  Problem p;
  p.nodes = {tanh_nodes(-1, 2, 9, 2, StretchedEnd::upper), uniform_nodes(0, 1, 5),
             geometric_nodes(0, 3, 6, 1.5, StretchedEnd::lower)};
  const auto linear = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z; };
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face = {D, linear};
  p.initial = linear;
  Solve space(p, tight());
  for (const double x : {-1.0, -0.999, 0.1, 1.3, 2.0})
    for (const double y : {0.0, 0.2, 0.77, 1.0})
      for (const double z : {0.0, 0.4, 2.2, 3.0})
        EXPECT_NEAR(interpolate_at(space.block(), space.solution(), std::array{x, y, z}), linear(x, y, z), 1e-13);
  p.dimension = 2;
  p.nodes[2].clear();
  Solve plane(p, tight());
  EXPECT_NEAR(interpolate_at(plane.block(), plane.solution(), std::array{0.3, 0.55}), linear(0.3, 0.55, 0), 1e-13);
}

TEST(Interpolation, WrapsOnPeriodicAxes) {
  Problem p;
  p.dimension = 2;
  p.nodes = {uniform_nodes(0, 1, 8), uniform_nodes(0, 1, 5), {}};
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.kind = P;
  p.initial = [](double x, double y, double) { return 10 * x + y; };
  Solve s(p, tight());
  const auto at = [&](double x, double y) { return interpolate_at(s.block(), s.solution(), std::array{x, y}); };
  EXPECT_NEAR(at(1, 0.2), 0.2, 1e-14);
  EXPECT_NEAR(at(0.9375, 0.4), 0.5 * (8.75 + 0) + 0.4, 1e-13);  // between nodes 7 and 0
  EXPECT_NEAR(at(0.25, 0.9), 2.5 + 0.5 * (0.8 + 0), 1e-13);
}

TEST(Extrema, HaveTheirPlaces) {
  const auto backend = test_backend();
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const int dimension : {2, 3}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(centering) << " " << dimension);
      Problem p;
      p.dimension = dimension;
      p.centering = centering;
      p.nodes = {uniform_nodes(0, 1, 40), uniform_nodes(-2, 0, 40), {}};
      if (dimension == 3) p.nodes[2] = uniform_nodes(0, 4, 20);
      for (auto& axis : p.boundary)
        for (Boundary& face : axis) face.kind = N;
      // The maximum is at (0.5, -1), only at its nodes. The minimum occurs wherever z is least; the first place counts.
      p.initial = [](double x, double y, double z) { return x + y == -0.5 && x == 0.5 ? 7 + z : z; };
      const Discretization d(*backend, std::as_const(p));
      Field u(*backend, d.block().layout(), Precision::fp64);
      d.initialize(u);
      const SolutionNorms n = solution_norms(d, u);
      const bool nodes = centering == Centering::node;
      const double half = nodes ? 0 : 0.5;
      const double top = dimension == 2 ? 0 : nodes ? 4 : 3.9, low = dimension == 2 ? 0 : 0.2 * half;
      EXPECT_EQ(n.min, low);
      EXPECT_NEAR(n.min_at[0], half / 40, 1e-15);
      EXPECT_NEAR(n.min_at[1], -2 + half / 20, 1e-15);
      EXPECT_NEAR(n.min_at[2], low, 1e-15);
      EXPECT_NEAR(n.max, nodes ? 7 + top : top, 1e-14);
      EXPECT_NEAR(n.max_at[2], top, 1e-14);
      if (nodes) {
        EXPECT_EQ(n.max_at[0], 0.5);
        EXPECT_EQ(n.max_at[1], -1);
      }
    }
}

TEST(Throughput, IsTheLargerOfInflowAndOutflow) {
  Balance b;
  b.flux = {{"x-", 1}, {"x+", -4}, {"y-", 0}, {"y+", 0}, {"z-", 2}, {"z+", 0}};
  b.source = 3;
  b.reaction = 2.5;
  EXPECT_EQ(throughput(b), 6.5);
  b.source = -3;
  EXPECT_EQ(throughput(b), 9.5);
}

}  // namespace
}  // namespace poisson::balance_tests
