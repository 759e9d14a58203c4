// Problems that are nearly singular, thin or steep, or whose κ and σ span many decades, must be solved or end at the
// rounding limit. u must be as accurate as its estimate.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "solver/fallbacks/factorization.hpp"
#include "tests/solve.hpp"

namespace poisson::robust_tests {
namespace {

using Real = long double;

Boundary neumann(double value) {
  return {BoundaryKind::neumann, value};
}

Problem box(std::array<double, 3> size, std::array<int, 3> cells, Centering centering) {
  Problem p;
  p.dimension = cells[2] > 0 ? 3 : 2;
  p.centering = centering;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
    p.nodes[d] = uniform_nodes(0, size[d], cells[d]);
  return p;
}

void insulate(Problem& p) {
  for (auto& axis : p.boundary) axis = {neumann(0), neumann(0)};
}

GridArray cells_of(const Problem& p, const auto& value) {
  GridArray a;
  a.location = Location::cell;
  for (std::size_t d = 0; d < 3; ++d)
    a.shape[d] = p.nodes[d].empty() ? 1 : static_cast<std::int64_t>(p.nodes[d].size()) - 1;
  for (std::int64_t k = 0; k < a.shape[2]; ++k)
    for (std::int64_t j = 0; j < a.shape[1]; ++j)
      for (std::int64_t i = 0; i < a.shape[0]; ++i) a.values.push_back(value(i, j, k));
  return a;
}

// Returns ‖u − A⁻¹b‖/‖u‖, compared with elimination in extended precision with pivots from row sums. `start`: u before
// the solve.
double relative_error(Solve& s, const std::vector<double>& start) {
  const auto A = s.discretization().make_operator(Precision::fp64);
  const Box all = A->space().part().unknowns();
  std::vector<std::array<int, 3>> at;
  for_each(all, [&](int i, int j, int k) { at.push_back({i, j, k}); });
  const std::size_t n = at.size();
  Backend& backend = s.backend();
  Field u(backend, A->space().part().layout(), Precision::fp64),
      v(backend, A->space().part().layout(), Precision::fp64);
  const auto product = [&](const auto& entry) {
    edit(u, [&](Field& host) {
      const auto x = host.view<double>();
      for (std::size_t i = 0; i < n; ++i) x(at[i][0], at[i][1], at[i][2]) = entry(i);
    });
    A->apply(u, v);
    const HostRead read(v);
    const auto y = (*read).view<double>();
    std::vector<Real> column;
    for (const auto& p : at) column.push_back(y(p[0], p[1], p[2]));
    return column;
  };
  std::vector<std::vector<Real>> a(n);
  for (std::size_t j = 0; j < n; ++j) a[j] = product([&](std::size_t i) { return i == j ? 1.0 : 0.0; });
  std::vector<Real> sum = product([](std::size_t) { return 1.0; });
  // The residual of the start gives b without the contribution of Dirichlet data.
  const auto here = values(s.solution());
  const Layout layout = A->space().part().layout();
  const auto number = [&](std::size_t i) {
    return static_cast<std::size_t>(at[i][0] + std::int64_t{1} * layout.n[0] *
                                                   (at[i][1] + std::int64_t{1} * layout.n[1] * at[i][2]));
  };
  Field was(backend, layout, Precision::fp64);
  transfer(s.solution(), was);
  edit(was, [&](Field& host) {
    const auto x = host.view<double>();
    for (std::size_t i = 0; i < n; ++i) x(at[i][0], at[i][1], at[i][2]) = start[number(i)];
  });
  A->residual(was, s.rhs(), v);
  std::vector<Real> x;
  {
    const HostRead read(v);
    const auto r = (*read).view<double>();
    for (const auto& p : at) x.push_back(r(p[0], p[1], p[2]));
  }
  std::vector<Real> pivot(n);
  for (std::size_t k = 0; k < n; ++k) {
    pivot[k] = sum[k];
    for (std::size_t i = k + 1; i < n; ++i) pivot[k] -= a[k][i];
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = a[k][i] / pivot[k];
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < n; ++j) a[j][i] -= factor * a[k][j];
      sum[i] -= factor * sum[k];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = k + 1; i < n; ++i) x[k] -= a[k][i] * x[i];
    x[k] /= pivot[k];
  }
  Real error = 0, size = 0;
  for (const double value : here) size += Real{value} * value;
  for (std::size_t i = 0; i < n; ++i) {
    const Real difference = Real{here[number(i)]} - start[number(i)] - x[i];
    error += difference * difference;
  }
  return static_cast<double>(std::sqrt(error / size));
}

TEST(Robust, FloatingConductorsInCells) {
  Problem p = box({2.5, 1, 0}, {4, 4, 0}, Centering::cell);
  p.coefficient[0] = [](double x, double y, double) {
    return (y < 0.75 && (x < 0.625 || (x > 1.25 && x < 1.875))) || (y > 0.75 && (x > 1.875 || (x > 0.625 && x < 1.25)))
               ? 2.5e7
               : 1.0;
  };
  insulate(p);
  p.boundary[0][0] = {BoundaryKind::dirichlet, 0.0};
  p.boundary[1][1] = {BoundaryKind::dirichlet, 1.0};
  Solve s(p, {.method = Method::multigrid});
  const auto start = values(s.solution());
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  EXPECT_LT(relative_error(s, start), 1e-6);
  EXPECT_LT(result.estimated_error, 1e-5);
}

TEST(Robust, FloatingConductorsOf64Cells) {
  Problem p = box({1, 1, 0}, {64, 64, 0}, Centering::cell);
  p.coefficient[0] = [](double x, double y, double) {
    return x < 0.25 || (x > 0.5 && x < 0.75 && y < 0.75) || (y > 0.75 && x > 0.75) ? 1e8 : 1.0;
  };
  insulate(p);
  p.boundary[0][0] = {BoundaryKind::dirichlet, 0.0};
  p.boundary[1][1] = {BoundaryKind::dirichlet, 1.0};
  Options options{.method = Method::multigrid};
  Solve s(p, options), exact(p, options);
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  // The reference is the factorization alone.
  const std::shared_ptr<const Operator> A = exact.discretization().make_operator(Precision::fp64);
  Factorization factors(A);
  factors.factorize();
  A->residual(exact.solution(), exact.rhs(), factors.rhs());
  factors.solve();
  const auto correction = values(factors.correction()), start = values(exact.solution()), u = values(s.solution());
  double error = 0, size = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    error += std::pow(u[i] - start[i] - correction[i], 2);
    size += u[i] * u[i];
  }
  EXPECT_LT(std::sqrt(error / size), 1e-5);
}

TEST(Robust, InclusionInAFlatBox) {
  Problem p = box({10, 1, 0}, {32, 32, 0}, Centering::cell);
  p.coefficient[0] = [](double x, double y, double) { return x > 5 && x < 7.5 && y < 0.75 ? 1e8 : 1.0; };
  insulate(p);
  p.boundary[0][0] = {BoundaryKind::dirichlet, 0.0};
  p.boundary[1][1] = {BoundaryKind::dirichlet, 1.0};
  Solve s(p, {.method = Method::multigrid});
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
}

TEST(Robust, SolvesThinBoxesWithANarrowDirichletFace) {
  Problem p = box({1e-8, 1, 0}, {16, 32, 0}, Centering::node);
  insulate(p);
  p.boundary[1][0] = {BoundaryKind::dirichlet, 0.0};
  p.source = [](double, double y, double) { return 1 + y; };
  Solve s(p, {.method = Method::multigrid});
  const Result result = s.run();
  const auto u = values(s.solution());
  EXPECT_TRUE(result.converged() || result.at_rounding_floor()) << name_of(result.verdict);
  const double h = 1.0 / 32;  // the scheme is exact except for the quadrature of f at y = 1
  EXPECT_NEAR(u.back(), 0.5 + 1.0 / 3, 2 * h * h + 1e-6);
}

// Entries of flat elements cancel to rounding on coarse levels as well, so the solve ends at the rounding limit.
TEST(Robust, FlatInsulatedElements) {
  for (const double thickness : {1e-8, 1e-9})
    for (const auto& cells : {std::array{4, 4, 8}, std::array{8, 8, 8}}) {
      Problem p = box({thickness, 1, 1}, cells, Centering::node);
      for (std::size_t d = 1; d < 3; ++d)
        p.nodes[d] = geometric_nodes(0, 1, cells[d], geometric_ratio(d == 1 ? 1e4 : 1e2, cells[d], StretchedEnd::both),
                                     StretchedEnd::both);
      p.scheme = Scheme::q1;
      p.isotropic = false;
      p.coefficient = {1.0, 2.0, 0.003};
      p.source = [](double, double y, double) { return std::sin(9 * y); };
      insulate(p);
      Options options;
      options.method = Method::multigrid;
      Solve s(p, options);
      const Result r = s.run();
      EXPECT_TRUE(r.converged() || r.at_rounding_floor()) << name_of(r.verdict);
    }
}

TEST(Robust, SolvesNearlySingularProblems) {
  for (const double alpha : {1e-8, 1e-10, 1e-12}) {
    Problem p = box({1, 1, 0}, {2, 2, 0}, Centering::node);
    p.coefficient[0] = [](double x, double, double) { return x < 0.5 ? 3e6 : 3e9; };
    insulate(p);
    p.boundary[1][0] = {BoundaryKind::robin, 0.0, alpha};
    p.source = 1.0;
    Solve s(p, {.method = Method::multigrid});
    const Result result = s.run();
    EXPECT_TRUE(result.converged() || result.at_rounding_floor()) << alpha << ": " << name_of(result.verdict);
  }
}

TEST(Robust, ReactionInPatches) {
  Problem p = box({1, 0.256, 1}, {2, 3, 9}, Centering::cell);
  p.nodes[1] = {0, 0.0776, 0.103, 0.256};
  p.reaction = [](double x, double, double z) {
    return (x < 0.5 && z > 3.0 / 9 && z < 6.0 / 9) || (x > 0.5 && z > 6.0 / 9) ? 5e8 : 0.0;
  };
  p.boundary[1] = {neumann(0), neumann(1)};
  p.boundary[2][0].kind = p.boundary[2][1].kind = BoundaryKind::periodic;
  Solve s(p, {.method = Method::multigrid});
  const auto start = values(s.solution());
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  EXPECT_LE(result.iterations, 40);
  EXPECT_LT(relative_error(s, start), 1e-5);
}

TEST(Robust, RandomCoefficientInEachCell) {
  for (const std::array<int, 3> cells : {std::array{128, 128, 0}, std::array{24, 24, 24}}) {
    Problem p = box({1, 1, 1}, cells, Centering::cell);
    std::mt19937 engine(7);
    p.coefficient[0] = cells_of(p, [&](auto...) { return engine() % 2 == 0 ? 1e6 : 1.0; });
    p.source = 1.0;
    Solve s(p, {.method = Method::multigrid});
    const Result result = s.run();
    EXPECT_TRUE(result.converged()) << name_of(result.verdict);
    EXPECT_LE(result.iterations, 60);
  }
}

// Near the percolation threshold of cells with high κ, aggregates must not connect clusters.
TEST(Robust, AlgebraicMultigridOfClustersThatAlmostMeet) {
  for (const unsigned seed : {1u, 5u}) {
    Problem p = box({1, 1, 1}, {40, 40, 40}, Centering::cell);
    std::mt19937 engine(seed);
    p.coefficient[0] = cells_of(p, [&](auto...) { return std::ldexp(engine(), -32) < 0.3 ? 1e6 : 1.0; });
    p.source = 1.0;
    Options options{.method = Method::multigrid};
    options.coarse_operator = CoarseOperator::rediscretized;
    Solve s(p, options);
    const Result result = s.run();
    EXPECT_TRUE(result.converged()) << name_of(result.verdict);
    EXPECT_LE(result.iterations, 60);
    ASSERT_EQ(result.steps.size(), 1u);
    EXPECT_NE(result.steps[0].find("algebraic"), std::string::npos) << result.steps[0];
  }
}

// The mean of u in a singular problem is undetermined: it must not grow until its rounding hides the rest.
TEST(Robust, KeepsMeansOfSingularProblems) {
  for (const unsigned seed : {2u, 5u, 6u, 8u}) {
    Problem p = box({6e-4, 1, 0}, {16, 15, 0}, Centering::node);
    p.scheme = Scheme::q1;
    p.nodes[0] = geometric_nodes(0, 6e-4, 16, geometric_ratio(6e3, 16, StretchedEnd::lower), StretchedEnd::lower);
    std::mt19937 engine(seed);
    std::vector<double> layer;
    for (int i = 0; i < 16; ++i) layer.push_back(std::pow(10, 9 * std::ldexp(engine(), -32)));
    p.coefficient[0] = cells_of(p, [&](auto i, auto, auto) { return layer[static_cast<std::size_t>(i)]; });
    p.source = cells_of(p, [&](auto...) { return std::ldexp(engine(), -31) - 1; });
    for (auto& axis : p.boundary) axis[0].kind = axis[1].kind = BoundaryKind::periodic;
    p.boundary[2] = {};
    Solve s(p, {.method = Method::multigrid});
    const Result result = s.run();
    EXPECT_TRUE(result.converged() || result.verdict == Verdict::inaccurate) << seed << ": " << name_of(result.verdict);
    EXPECT_LT(result.estimated_error, 1e-5);
    EXPECT_LT(result.rounding_floor, 1e-8);
  }
}

// If no residual can be small, u must still be accurate, and the reason must be rounding.
TEST(Robust, SolvesAtTheRoundingLimit) {
  Problem p = box({1, 1, 0}, {51, 4, 0}, Centering::node);
  p.scheme = Scheme::q1;
  p.nodes[0] = geometric_nodes(0, 1, 51, geometric_ratio(5e5, 51, StretchedEnd::lower), StretchedEnd::lower);
  std::mt19937 engine(3);
  p.coefficient[0] = cells_of(p, [&](auto...) { return engine() % 2 == 0 ? 1e6 : 1.0; });
  p.source = 1.0;
  insulate(p);
  p.boundary[1][0] = {BoundaryKind::robin, 0.0, 1e-8};
  Solve s(p, {.method = Method::multigrid});
  const Result result = s.run();
  EXPECT_TRUE(result.at_rounding_floor()) << name_of(result.verdict);
  EXPECT_LT(result.estimated_error, 1e-5);
  const auto u = values(s.solution());
  EXPECT_NEAR(u[0] * 1e-8, 1, 1e-5);  // the power of the source leaves through the face
}

// The factorization is tested alone, with rows that sum to zero, periodic axes of every remainder, and more unknowns
// than one front contains.
TEST(Robust, FactorizationSolvesTheSystem) {
  for (const int n : {5, 9, 10, 11})
    for (const Scheme scheme : {Scheme::fv, Scheme::q1})
      for (const bool singular : {false, true}) {
        Problem p = box({1, 1, 1}, {n, 7, 8}, Centering::node);
        p.scheme = scheme;
        for (Boundary& face : p.boundary[0]) face.kind = BoundaryKind::periodic;
        p.boundary[1] = {neumann(0), neumann(0)};
        if (singular) p.boundary[2] = {neumann(0), neumann(0)};
        p.coefficient[0] = [](double x, double y, double z) { return 1 + x * y + (z > 0.5 ? 100 : 0); };
        Solve s(p, {.method = Method::multigrid});
        const std::shared_ptr<const Operator> A = s.discretization().make_operator(Precision::fp64);
        Field b(s.backend(), A->space().part().layout(), Precision::fp64),
            r(s.backend(), A->space().part().layout(), Precision::fp64);
        randomize(b, A->space().part().unknowns());
        Scalar amount = s.backend().scalar();
        if (singular) A->project_rhs(b, amount);
        Factorization factors(A);
        factors.factorize();
        s.backend().copy(b, factors.rhs());
        factors.solve();
        A->residual(factors.correction(), b, r);
        for (const double value : values(r)) ASSERT_LT(std::abs(value), 1e-11);
      }
}

// No result may be non-finite. Unsolved problems must be limited by rounding, and errors must match the estimate.
TEST(Robust, RandomProblems) {
  std::mt19937 engine(11);
  const auto uniform = [&] { return std::ldexp(engine(), -32); };
  const auto decades = [&](double low, double high) { return std::pow(10, low + (high - low) * uniform()); };
  int compared = 0, underestimated = 0, above = 0, overestimated = 0;
  constexpr int problems = 240;
  for (int problem = 0; problem < problems; ++problem) {
    const bool three = uniform() < 0.5;
    std::array<int, 3> cells{};
    for (std::size_t d = 0; d < (three ? 3u : 2u); ++d) cells[d] = 2 + static_cast<int>(uniform() * (three ? 5 : 13));
    Problem p = box({1, 1, 1}, cells, problem % 3 == 0 ? Centering::cell : Centering::node);
    if (problem % 3 == 1) p.scheme = Scheme::q1;
    for (std::size_t d = 0; d < (three ? 3u : 2u); ++d)
      if (uniform() < 0.4)
        p.nodes[d] =
            geometric_nodes(0, uniform() < 0.2 ? decades(-4, 0) : 1, cells[d],
                            geometric_ratio(decades(0, 6), cells[d], StretchedEnd::lower), StretchedEnd::lower);
    const double contrast = decades(0, 10);
    const int blocks = uniform() < 0.5 ? 1 : 3;
    const unsigned seed = engine();
    p.coefficient[0] = cells_of(p, [&](auto i, auto j, auto k) {
      std::minstd_rand cell(seed + static_cast<unsigned>(i / blocks + 91 * (j / blocks) + 8273 * (k / blocks)));
      cell.discard(3);
      return cell() % 2 == 0 ? contrast : 1.0;
    });
    const double sigma = uniform() < 0.2 ? decades(0, 8) : 0;
    p.reaction = [sigma](double x, double, double) { return x > 0.3 && x < 0.7 ? sigma : 0.0; };
    p.source = 1.0;
    for (std::size_t d = 0; d < 3; ++d)
      for (Boundary& face : p.boundary[d]) {
        const double kind = uniform();
        face.value = uniform();
        if (kind < 0.4) face.kind = BoundaryKind::neumann;
        if (kind > 0.8) {
          face.kind = BoundaryKind::robin;
          face.alpha = decades(-8, 3);
        }
      }
    p.boundary[0][0] = {BoundaryKind::dirichlet, 1.0};
    SCOPED_TRACE("problem " + std::to_string(problem));
    Solve s(p, {.method = Method::multigrid});
    const auto start = values(s.solution());
    const Result result = s.run();
    const Options& options = s.solver().options();
    SCOPED_TRACE("problem " + std::to_string(problem) + ": " + std::string(name_of(result.verdict)) + ", residual " +
                 std::to_string(result.relative()) + ", floor " + std::to_string(result.rounding_floor));
    EXPECT_TRUE(std::isfinite(result.final));
    EXPECT_TRUE(result.converged() || result.at_rounding_floor());
    EXPECT_LE(result.iterations, 100);
    if (!result.converged()) continue;
    const double error = relative_error(s, start);
    ++compared;
    if (error <= 1e-12) continue;
    ++above;
    if (error > 10 * result.estimated_error) ++underestimated;
    if (result.estimated_error > 100 * error) ++overestimated;
    EXPECT_LT(error, 1e-3);
  }
  EXPECT_GT(compared, problems / 2);
  EXPECT_LE(underestimated, above / 100);
  EXPECT_LE(overestimated, above / 10);
}

}  // namespace
}  // namespace poisson::robust_tests
