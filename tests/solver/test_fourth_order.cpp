// These tests cover the two methods with a fourth-order error, the compact scheme and τ-extrapolation of finite
// volumes: order on manufactured solutions, iterations, conservation, and refused problems.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/results/profile.hpp"
#include "tests/convergence.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::fourth_order_tests {
namespace {

using poisson::values;
constexpr double least_order = 3.8;
constexpr std::array<double, 3> lengths{1, 1.25, 0.8};
constexpr auto D = BoundaryKind::dirichlet, P = BoundaryKind::periodic;
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;

enum class Way { compact, extrapolated };

/// Describes a problem: the cells along x and y relative to z, σ, and whether κ is the same along all axes.
struct Case {
  std::string_view name;
  int dimension;
  Kinds kinds;
  std::array<int, 2> ratio;  ///< cells along x and y, in quarters of the number along z
  double sigma;
  bool isotropic;
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};
constexpr Kinds dirichlet{{{D, D}, {D, D}, {D, D}}}, around_x{{{P, P}, {D, D}, {D, D}}},
    around_y{{{D, D}, {P, P}, {D, D}}}, around_two{{{P, P}, {D, D}, {P, P}}}, around_all{{{P, P}, {P, P}, {P, P}}};
constexpr std::array<Case, 12> cases{{{"Square", 2, dirichlet, {4, 4}, 0, true},
                                      {"SquareWithReaction", 2, dirichlet, {4, 6}, 30, true},
                                      {"SquareOfATensor", 2, dirichlet, {6, 4}, 0, false},
                                      {"SquarePeriodicInX", 2, around_x, {4, 6}, 0, true},
                                      {"SquarePeriodicInY", 2, around_y, {4, 4}, 5, false},
                                      {"Torus", 2, around_all, {4, 6}, 0, true},
                                      {"Cube", 3, dirichlet, {4, 4}, 0, true},
                                      {"CubeWithReaction", 3, dirichlet, {6, 4}, 30, false},
                                      {"CubePeriodicInX", 3, around_x, {6, 4}, 0, true},
                                      {"CubePeriodicInTwo", 3, around_two, {4, 4}, 5, true},
                                      {"CubeOnFewPlanes", 3, around_y, {8, 8}, 0, true},
                                      {"ThreeTorus", 3, around_all, {4, 6}, 0, false}}};

Manufactured manufactured(const Case& c) {
  Manufactured m;
  m.dimension = c.dimension;
  m.lengths = lengths;
  m.kinds = c.kinds;
  m.isotropic = c.isotropic;
  m.solution = m.product(1.5, {1.3, 2.1, 1.7}, {0.3, -0.4, 0.2});
  for (std::size_t d = 0; d < 3; ++d) m.kappa[d].scale = c.isotropic ? 1.5 : std::array{1.0, 1.7, 0.6}[d];
  m.sigma.scale = c.sigma;
  return m;
}

Problem problem_of(const Case& c, int cells, Way way) {
  std::array<std::vector<double>, 3> nodes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(c.dimension); ++d)
    nodes[d] = uniform_nodes(0, lengths[d], d == 2 ? cells : cells * c.ratio[d] / 4);
  Problem p = manufactured(c).problem(nodes);
  if (way == Way::compact) p.scheme = Scheme::compact4;
  return p;
}

Options options_of(Way way) {
  Options o{.method = Method::multigrid};
  o.extrapolate = way == Way::extrapolated;
  return o;
}

class FourthOrder : public testing::TestWithParam<std::tuple<Way, Case>> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(FourthOrder, IsReached) {
  const auto& [way, c] = GetParam();
  // A full period needs more cells.
  const bool waves = c.kinds[2][0] == P;
  const std::vector<int> cells = c.dimension == 2 ? std::vector{16, 32, 64}
                                 : waves          ? std::vector{12, 24, 48}
                                                  : std::vector{8, 16, 32};
  const auto options = [&](int n) {
    Options o = options_of(way);
    o.tolerance = 1e-12;
    o.krylov = n == cells[1] ? Krylov::none : Krylov::cg;
    o.precision = n == cells[0] ? SolvePrecision::double_ : SolvePrecision::mixed;
    return o;
  };
  const auto orders = observed_orders(
      cells, [&](int n) { return problem_of(c, n, way); }, options);
  for (const ObservedOrder& o : orders) EXPECT_GE(o.least(), least_order) << o;
  record_least(orders);
}

INSTANTIATE_TEST_SUITE_P(, FourthOrder,
                         testing::Combine(testing::Values(Way::compact, Way::extrapolated), testing::ValuesIn(cases)),
                         [](const auto& p) {
                           return (std::get<0>(p.param) == Way::compact ? "Compact" : "Extrapolated") +
                                  std::string(std::get<1>(p.param).name);
                         });

/// Every method, precision and assembly must reach the same solution.
TEST(Extrapolation, DoesNotDependOnTheMethod) {
  const Case& c = cases[7];
  const Problem p = problem_of(c, 12, Way::extrapolated);
  Options options = options_of(Way::extrapolated);
  options.tolerance = 1e-11;
  options.precision = SolvePrecision::double_;
  Solve reference(p, options);
  ASSERT_TRUE(reference.run().converged());
  const std::vector<double> expected = values(reference.solution());
  const auto expect_same = [&](const Options& o, double bound, Assembly assembly = Assembly::automatic) {
    Solve s(p, o, assembly);
    const Result result = s.run();
    EXPECT_TRUE(result.converged()) << name_of(result.verdict);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    const std::vector<double> u = values(s.solution());
    double difference = 0;
    for (std::size_t i = 0; i < u.size(); ++i) difference = std::max(difference, std::abs(u[i] - expected[i]));
    EXPECT_LE(difference, bound);
  };
  Options o = options;
  o.krylov = Krylov::cg;
  expect_same(o, 1e-9);
  o.full_multigrid = false;
  expect_same(o, 1e-9, Assembly::full);
  o = options;
  o.precision = SolvePrecision::mixed;
  expect_same(o, 1e-9, Assembly::partial);
  o.method = Method::cg;
  o.max_iterations = 1000;
  expect_same(o, 1e-9);
  o = options;
  o.precision = SolvePrecision::single;
  o.tolerance = 3e-6;
  expect_same(o, 2e-4);
}

/// σ may vary: like f, it is integrated on the grid and on the grid of every second node.
TEST(Extrapolation, TakesAReactionThatVaries) {
  Manufactured m = manufactured(cases[0]);
  m.sigma = {40, 0.8, m.product(0, {3, 5, 1}, {0.4, 0.9, 0.1})};
  Options options = options_of(Way::extrapolated);
  options.tolerance = 1e-12;
  const auto problem = [&](int n) { return m.problem({uniform_nodes(0, 1, n), uniform_nodes(0, 1.25, n), {}}); };
  for (const ObservedOrder& o : observed_orders({16, 32}, problem, options)) EXPECT_GE(o.least(), least_order) << o;
}

/// Plain loops compute the correction: a third of the residual on every second node, interpolated. f is a function
/// whose integrals are off by 0.075²/2 h² Δf.
TEST(Extrapolation, AddsAThirdOfTheDifferenceOnEverySecondNode) {
  using reference::Real;
  const Case& c = cases[8];  // periodic in x, 12 x 8 x 8 cells
  const Problem p = problem_of(c, 8, Way::extrapolated);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-13;
  options.precision = SolvePrecision::double_;
  Solve plain(p, options);
  ASSERT_TRUE(plain.run().converged());
  options.extrapolate = true;
  Solve solve(p, options);
  const Result result = solve.run();
  ASSERT_TRUE(result.converged());

  const double scale = solve.discretization().rows().scale;
  Problem coarse = p;
  for (std::size_t d = 0; d < 3; ++d)
    coarse.nodes[d] = uniform_nodes(0, lengths[d], (static_cast<int>(p.nodes[d].size()) - 1) / 2);
  const reference::Grid fine(p);
  const reference::System A = reference::assemble(coarse, scale);
  const std::vector<double> u = values(plain.solution()), b = values(plain.rhs()), corrected = values(solve.rhs());
  const auto doubled = [&](const reference::Index& at) { return fine.number({2 * at[0], 2 * at[1], 2 * at[2]}); };
  reference::Vector coarse_u(A.grid.count()), seen(A.grid.count(), 0);
  for (std::size_t i = 0; i < coarse_u.size(); ++i) coarse_u[i] = u[doubled(A.grid.index(i))];
  std::array<reference::Dense, 3> interpolation;
  for (std::size_t d = 0; d < 3; ++d)
    interpolation[d] = reference::prolongation(p.nodes[d], coarse.nodes[d], fine.periodic(d));
  constexpr Real share = 6 * 0.075L * 0.075L;
  // Control volumes of b are twice as large along each axis; b is fourth-order accurate.
  reference::Vector coarse_b(A.grid.count(), 0);
  for (std::size_t i = 0; i < coarse_b.size(); ++i) coarse_b[i] = 8 * (1 - share) * b[doubled(A.grid.index(i))];
  reference::for_each_entry(interpolation,
                            [&](std::size_t i, std::size_t I, Real weight) { coarse_b[I] += share * weight * b[i]; });
  for (std::size_t i = 0; i < coarse_u.size(); ++i)
    if (A.unknown[i]) seen[i] = A.row(i, coarse_u) - coarse_b[i];
  for (std::size_t i = 0; i < coarse_u.size(); ++i) {  // Dirichlet nodes copy the nearest unknown
    reference::Index nearest = A.grid.index(i);
    for (std::size_t d = 0; d < 3; ++d)
      if (!A.grid.periodic(d)) nearest[d] = std::clamp(nearest[d], 1, A.grid.size[d] - 2);
    if (!A.unknown[i]) seen[i] = seen[A.grid.number(nearest)];
  }
  reference::Vector expected(fine.count(), 0);
  reference::for_each_entry(interpolation, [&](std::size_t i, std::size_t I, Real weight) {
    if (!fine.dirichlet(fine.index(i))) expected[i] += weight * seen[I] / (3 * 8);
  });
  double largest = 0;
  Real sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    largest = std::max(largest, std::abs(corrected[i] - b[i]));
    sum += expected[i];
  }
  EXPECT_GT(largest, 1e-6);
  for (std::size_t i = 0; i < b.size(); ++i)
    ASSERT_NEAR(corrected[i] - b[i], static_cast<double>(expected[i]), 1e-9 * largest + 1e-14) << "at " << i;
  EXPECT_NEAR(result.extrapolated, static_cast<double>(sum), 1e-9 * std::abs(static_cast<double>(sum)) + 1e-13);
}

/// The last residual of the history belongs to the corrected equation, with which the balance closes.
TEST(Extrapolation, ReportsTheEquationThatIsSolved) {
  for (const Case& c : {cases[1], cases[3], cases[5], cases[6], cases[11]}) {
    SCOPED_TRACE(c.name);
    for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
      Options options = options_of(Way::extrapolated);
      options.krylov = krylov;
      Solve s(problem_of(c, 16, Way::extrapolated), options);
      const Result result = s.run();
      ASSERT_TRUE(result.converged());
      ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
      EXPECT_LE(result.history.back(), options.tolerance);
      EXPECT_LT(result.estimated_error, 1e-6);
      // The residual rises once, where the equation changes.
      int rises = 0;
      for (std::size_t i = 1; i < result.history.size(); ++i) rises += result.history[i] > result.history[i - 1];
      EXPECT_EQ(rises, 1);
      Scalar norm = s.backend().scalar();
      Field r(s.backend(), s.solver().A().space().part().layout(), s.solver().A().precision());
      s.solver().A().residual(s.solution(), s.rhs(), r, s.backend().scalar(1), norm);
      EXPECT_NEAR(std::sqrt(s.backend().value(norm)), result.final, 0.02 * result.final);

      const Balance b = balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
      const double scale = s.solver().A().scale();
      double sum = b.source - b.reaction + b.residual + (result.extrapolated - result.projected) / scale, size = 1;
      for (const double flux : b.flux) {
        sum += flux;
        size += std::abs(flux);
      }
      EXPECT_NEAR(sum, 0, 1e-12 * size);
    }
  }
}

TEST(Extrapolation, SharesAGivenNumberOfIterations) {
  for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
    Options options = options_of(Way::extrapolated);
    options.tolerance = 0;
    options.max_iterations = 9;
    options.krylov = krylov;
    Solve s(problem_of(cases[0], 32, Way::extrapolated), options);
    const Result result = s.run();
    EXPECT_EQ(result.iterations, 9);
    EXPECT_GT(result.history[5], result.history[4]);
    EXPECT_EQ(result.verdict, Verdict::running);
  }
}

/// If the first equation is not solved, its iterate remains, and b is unchanged.
TEST(Extrapolation, RequiresAConvergedSolution) {
  Options options = options_of(Way::extrapolated);
  options.max_iterations = 2;
  Solve s(problem_of(cases[0], 32, Way::extrapolated), options);
  const std::vector<double> b = values(s.rhs());
  const Result result = s.run();
  EXPECT_FALSE(result.converged());
  EXPECT_EQ(result.iterations, 2);
  EXPECT_EQ(result.extrapolated, 0);
  EXPECT_EQ(values(s.rhs()), b);
}

TEST(Extrapolation, GivesTheSameBitsAgainAndUnderAProfile) {
  Options options = options_of(Way::extrapolated);
  const Problem p = problem_of(cases[6], 16, Way::extrapolated);
  Solve s(p, options);
  const Result first = s.run();
  const std::vector<double> u = values(s.solution());
  s.reset();
  const Result again = s.run();
  EXPECT_EQ(first.history, again.history);
  EXPECT_EQ(u, values(s.solution()));
  const auto backend = test_backend();
  const Discretization d(*backend, p);
  Profile profile(*backend);
  const auto solver = make_solver(d, options, &profile);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  const Result profiled = solver->solve(false);
  EXPECT_EQ(profiled.iterations, first.iterations);
  EXPECT_FALSE(profile.take().empty());
}

Problem cube(int cells, int dimension, Scheme scheme) {
  Problem p;
  p.dimension = dimension;
  p.scheme = scheme;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, cells);
  return p;
}

int iterations(const Problem& p, const Options& options) {
  Solve s(p, options);
  randomize(s.rhs(), s.block().unknowns());
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict) << " at " << result.relative();
  return result.iterations;
}

/// Right-hand sides are random and solved to 1e-8, on equal cells and cells of different shapes, also for odd numbers.
TEST(CompactScheme, TakesFewIterations) {
  Problem odd = cube(33, 3, Scheme::compact4), flat = cube(32, 3, Scheme::compact4), long_axis = flat;
  odd.nodes[1] = uniform_nodes(0, 1, 27);
  for (Boundary& face : odd.boundary[2]) face.kind = P;
  flat.nodes[2] = uniform_nodes(0, 0.1, 32);
  long_axis.nodes[2] = uniform_nodes(0, 30, 32);
  Problem rectangle = cube(128, 2, Scheme::compact4);
  rectangle.nodes[1] = uniform_nodes(0, 0.02, 128);
  for (const auto& [name, p] : {std::pair{"cube_16", cube(16, 3, Scheme::compact4)},
                                {"cube_32", cube(32, 3, Scheme::compact4)},
                                {"cube_64", cube(64, 3, Scheme::compact4)},
                                {"square_128", cube(128, 2, Scheme::compact4)},
                                {"square_512", cube(512, 2, Scheme::compact4)},
                                {"odd", odd},
                                {"flat", flat},
                                {"long", long_axis},
                                {"rectangle", rectangle}})
    for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
      Options options{.method = Method::multigrid};
      options.krylov = krylov;
      const int count = iterations(p, options);
      RecordProperty(std::string(name) + (krylov == Krylov::cg ? "_cg" : ""), count);
      EXPECT_LE(count, krylov == Krylov::cg ? 9 : 14) << name;
    }
}

TEST(CompactScheme, SmoothsLinesPlanesAndColours) {
  for (const std::string_view type : {"line", "plane", "red-black", "jacobi"}) {
    Problem p = cube(24, 3, Scheme::compact4);
    for (Boundary& face : p.boundary[2]) face.kind = P;
    p.reaction = 3.0;
    Options options{.method = Method::multigrid};
    options.krylov = Krylov::cg;
    choose(options.smoother, type);
    EXPECT_LE(iterations(p, options), 9) << type;
  }
}

/// Cubic interpolation of full multigrid also has a fourth-order error, but a hundred times that of the scheme. A few
/// cycles, independent of the grid, reduce it below the error of the discretization.
TEST(CompactScheme, IsAsExactAsItsDiscretizationAfterFourCyclesOfFullMultigrid) {
  for (const auto& [dimension, n] : {std::pair{2, 64}, {2, 128}, {2, 256}, {3, 24}, {3, 48}}) {
    const Problem p = problem_of(dimension == 2 ? cases[0] : cases[6], n, Way::compact);
    Options options{.method = Method::multigrid};
    options.precision = SolvePrecision::double_;
    options.tolerance = 0;
    options.max_iterations = 14;
    Solve solved(p, options);
    solved.run();
    const ErrorNorms discretization = error_norms(solved.discretization(), solved.solution());
    for (const int cycles : {1, 2, 3, 4}) {
      options.max_iterations = cycles;
      Solve s(p, options);
      s.run();
      s.backend().axpy(s.backend().scalar(-1), solved.solution(), s.solution());
      const SolutionNorms difference = solution_norms(s.discretization(), s.solution());
      const double ratio = std::max(difference.max, -difference.min) / discretization.max;
      RecordProperty("cycles_" + std::to_string(cycles) + "_" + std::to_string(dimension) + "d_" + std::to_string(n),
                     std::to_string(ratio));
      if (cycles == 4) {
        EXPECT_LE(ratio, 1) << dimension << "-D, " << n;
        EXPECT_LE(difference.l2, discretization.l2) << dimension << "-D, " << n;
      }
    }
  }
}

TEST(CompactScheme, BalanceCloses) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Options options{.method = Method::multigrid};
    options.tolerance = 0;
    options.max_iterations = 1;
    Solve s(problem_of(c, 8, Way::compact), options);
    const Result result = s.run();
    const Balance b = balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
    double sum = b.source - b.reaction + b.residual - result.projected / s.solver().A().scale(), size = 1;
    for (const double flux : b.flux) {
      sum += flux;
      size += std::abs(flux);
    }
    EXPECT_NEAR(sum, 0, 1e-12 * size);
  }
}

/// The library must refuse cases that configurations cannot express.
TEST(FourthOrderOfTheLibrary, RefusesWhatTheTheoryExcludes) {
  const auto message = [](const Problem& p, Way way) -> std::string {
    try {
      Solve s(p, options_of(way));
    } catch (const InputError& e) {
      return e.what();
    }
    return "was taken";
  };
  for (const Way way : {Way::compact, Way::extrapolated}) {
    const Scheme scheme = way == Way::compact ? Scheme::compact4 : Scheme::fv;
    const std::string subject = way == Way::compact ? "the compact scheme" : "extrapolation";
    Problem p = cube(8, 2, scheme);
    EXPECT_EQ(message(p, way), "was taken");
    p.nodes[1] = tanh_nodes(0, 1, 8, 1, StretchedEnd::both);
    EXPECT_EQ(message(p, way), "axis 1 has cells of different widths, but " + subject + " requires equal cells");
    p = cube(8, 2, scheme);
    p.coefficient[0] = [](double x, double, double) { return 1 + x; };
    EXPECT_EQ(message(p, way), "coefficient varies, but " + subject + " requires a constant");
    p = cube(8, 2, scheme);
    p.boundary[1][1].kind = BoundaryKind::neumann;
    EXPECT_EQ(message(p, way), "face y+ is a Neumann face, but " + subject + " requires Dirichlet and periodic faces");
  }
  EXPECT_EQ(message(cube(9, 3, Scheme::fv), Way::extrapolated),
            "extrapolation requires an even number of cells along each axis, at least 4, but axis 0 has 9");
  EXPECT_EQ(message(cube(8, 3, Scheme::q1), Way::extrapolated), "extrapolation requires finite volumes");
}

}  // namespace
}  // namespace poisson::fourth_order_tests
