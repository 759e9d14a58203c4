// These tests cover the course and the end of solves: methods, precisions, singular problems, sizes, stopping,
// verdicts, and reproducible bits.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "solver/plan.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::solver_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// Returns a unit box with u = g on Dirichlet faces and a source with all frequencies.
Problem box(const std::vector<int>& cells, BoundaryKind kind = D, double g = 1) {
  Problem p;
  p.dimension = static_cast<int>(cells.size());
  for (std::size_t d = 0; d < cells.size(); ++d) {
    p.nodes[d] = uniform_nodes(0, 1, cells[d]);
    for (Boundary& face : p.boundary[d]) face = {kind, kind == D ? Quantity(g) : Quantity(0.5), 2.0};
  }
  p.source = [](double x, double y, double z) { return std::exp(x) * (1 + y) * std::cos(3 * z + x * y); };
  return p;
}
Problem varying(Problem p) {
  p.coefficient[0] = [](double x, double y, double z) { return 1 + 0.5 * std::sin(3 * x + 2 * y - z); };
  return p;
}

Options with_tolerance(double tolerance, SolvePrecision precision = SolvePrecision::mixed) {
  Options o{.method = Method::multigrid};
  o.tolerance = tolerance;
  o.precision = precision;
  return o;
}

double true_residual(Solve& s) {
  const Operator& A = s.solver().A();
  Scalar norm = s.backend().scalar();
  const Scalar one = s.backend().scalar(1);
  A.residual(s.solution(), s.rhs(), s.solver().spare(), one, norm);
  return std::sqrt(s.backend().value(norm));
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Methods and precisions.

TEST(Solver, MethodsAgree) {
  for (const Problem& problem : {box({16, 12, 14}), varying(box({16, 12, 14}, R)), box({24, 20}, N)}) {
    std::vector<std::vector<double>> solutions;
    for (const auto& [method, krylov] :
         {std::tuple{Method::multigrid, Krylov::none}, std::tuple{Method::multigrid, Krylov::cg},
          std::tuple{Method::cg, Krylov::none}, std::tuple{Method::jacobi, Krylov::none}}) {
      Options o = with_tolerance(1e-10, SolvePrecision::double_);
      o.method = method;
      o.krylov = krylov;
      o.max_iterations = 20000;
      Solve s(problem, o);
      const Result result = s.run();
      ASSERT_TRUE(result.converged()) << name_of(result.verdict);
      EXPECT_NEAR(true_residual(s) / result.reference, result.relative(), 1e-12);
      solutions.push_back(values(s.solution()));
    }
    for (const auto& other : solutions) EXPECT_LE(distance(solutions[0], other), 1e-6);
  }
}

TEST(Solver, MixedPrecisionTakesAtMostOneCycleMoreThanDouble) {
  Problem stretched = box({48, 40, 32});
  stretched.nodes[2] = tanh_nodes(0, 1, 32, 2, StretchedEnd::both);
  for (const Problem& problem : {box({64, 64, 64}), varying(box({48, 48, 48})), box({45, 39, 52}, N), box({128, 96}, R),
                                 box({32, 36, 40}, P), stretched})
    for (const Krylov krylov : {Krylov::none, Krylov::cg})
      for (const bool full_multigrid : {true, false}) {
        std::array<int, 2> iterations{};
        for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
          Options o = with_tolerance(1e-10, precision);
          o.krylov = krylov;
          o.full_multigrid = full_multigrid;
          Solve s(problem, o);
          const Result result = s.run();
          ASSERT_TRUE(result.converged()) << name_of(result.verdict);
          EXPECT_LE(true_residual(s), 1.01e-10 * result.reference);
          iterations[precision == SolvePrecision::mixed] = result.iterations;
        }
        EXPECT_LE(iterations[1], iterations[0] + 1);
      }
}

TEST(Solver, SolvesTheSmallestGrids) {
  for (const std::vector<int>& cells :
       {std::vector{2, 2}, std::vector{2, 2, 2}, std::vector{3, 2, 5}, std::vector{2, 2, 200}, std::vector{3, 3}})
    for (const BoundaryKind kind : {D, N, R, P})
      for (const std::string_view smoother : {"chebyshev", "red-black"}) {
        SCOPED_TRACE(testing::Message() << cells[0] << " x " << cells[1] << " of " << cells.size() << " kind "
                                        << static_cast<int>(kind) << " smoother " << smoother);
        Options o = with_tolerance(1e-10);
        choose(o.smoother, smoother);
        Solve multigrid(box(cells, kind), o);
        const Result result = multigrid.run();
        ASSERT_TRUE(result.converged()) << name_of(result.verdict);
        EXPECT_LE(result.iterations, 15);
        o.method = Method::cg;
        o.max_iterations = 1000;
        Solve cg(box(cells, kind), o);
        ASSERT_TRUE(cg.run().converged());
        EXPECT_LE(distance(values(multigrid.solution()), values(cg.solution())), 1e-6);
      }
}

TEST(Solver, GivesTheSameBitsTwiceAndOnAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (const Krylov krylov : {Krylov::none, Krylov::cg})
    for (const Problem& problem : {box({40, 33, 29}), varying(box({40, 33, 29}, N))}) {
      std::vector<std::vector<double>> solutions, histories;
      for (const int count : {1, 1, 2, 3}) {
        omp_set_num_threads(count);
        Options o = with_tolerance(1e-9);
        o.krylov = krylov;
        Solve s(problem, o);
        histories.push_back(s.run().history);
        solutions.push_back(values(s.solution()));
        s.reset();
        EXPECT_EQ(s.run().history, histories.back()) << "solved again by the same solver";
      }
      for (const auto& other : solutions) EXPECT_EQ(solutions[0], other);
      for (const auto& other : histories) EXPECT_EQ(histories[0], other);
    }
  omp_set_num_threads(threads);
}

// Singular problems.

TEST(Singular, IncompatibleNeumannDataAreProjected) {
  for (const bool stretched : {false, true}) {
    Problem p = box({24, 20, 16}, N);
    if (stretched) p.nodes[0] = tanh_nodes(0, 1, 24, 1.5, StretchedEnd::lower);
    p.source = 3.0;  // ∫ f = 3, and the faces add 6 · 0.5; without the surplus u is a quadratic polynomial
    p.exact = [](double x, double y, double z) { return 0.5 * (x * x - x + y * y - y + z * z - z); };
    Solve s(p, with_tolerance(1e-11));
    const Result result = s.run();
    ASSERT_TRUE(result.converged()) << name_of(result.verdict);
    EXPECT_NEAR(result.projected / s.solver().A().scale(), 6, 1e-12);
    EXPECT_NEAR(solution_norms(s.discretization(), s.solution()).integral, 0, 1e-14);
    EXPECT_LE(error_norms(s.discretization(), s.solution()).max, 1e-9);
  }
}

// The projection removes equal data completely. Only rounding of long sums is left, for which there is nothing to
// solve.
TEST(Singular, AConstantSourceIsProjectedToZero) {
  for (const BoundaryKind kind : {N, P})
    for (const Method method : {Method::multigrid, Method::direct})
      for (const std::vector<int>& cells : {std::vector{24, 20, 16}, {500, 40}, {40, 1500}, {300, 24, 12}})
        for (const double f : {0.7, 3.0}) {
          SCOPED_TRACE(testing::Message()
                       << cells[0] << " cells along x, f = " << f << (method == Method::direct ? ", direct" : ""));
          Problem p = box(cells, kind);
          for (auto& faces : p.boundary)
            for (Boundary& face : faces) face.value = 0.0;
          p.source = f;
          Options o = with_tolerance(1e-8);
          o.method = method;
          Solve s(p, o);
          const Result result = s.run();
          EXPECT_TRUE(result.converged()) << name_of(result.verdict);
          EXPECT_EQ(result.iterations, 0);
          EXPECT_NEAR(result.projected / s.solver().A().scale(), f, 1e-12);
          EXPECT_LE(solution_norms(s.discretization(), s.solution()).max, 1e-14);
        }
}

TEST(Singular, IncompatiblePeriodicDataAreProjected) {
  for (const bool stretched : {false, true}) {
    Problem p = box({24, 20, 16}, P);
    if (stretched) p.nodes[0] = tanh_nodes(0, 1, 24, 1.5, StretchedEnd::lower);
    const auto wave = [](double x) { return std::sin(2 * std::numbers::pi * x); };
    p.source = [=](double, double y, double) { return 2 + wave(y); };
    Solve s(p, with_tolerance(1e-9));
    const Result result = s.run();
    ASSERT_TRUE(result.converged()) << name_of(result.verdict);
    EXPECT_NEAR(result.projected / s.solver().A().scale(), 2, 1e-12);
    EXPECT_NEAR(solution_norms(s.discretization(), s.solution()).integral, 0, 1e-14);
    // The wave is an eigenvector of the second difference along y, and of the mean over the points of both halves of a
    // volume.
    const double h = 1.0 / 20, eigenvalue = 4 * std::pow(std::sin(std::numbers::pi * h) / h, 2),
                 share = std::cos(2 * std::numbers::pi * 0.075 * h) / eigenvalue;
    std::size_t at = 0;
    const std::vector<double> u = values(s.solution());
    for_each(s.block().unknowns(), [&](int, int j, int) { ASSERT_NEAR(u[at++], wave(j * h) * share, 1e-9); });
  }
}

TEST(Singular, AGivenGuessDoesNotMatterUpToItsMean) {
  Problem p = box({20, 24}, N);
  p.initial = [](double x, double y, double) { return 100 + x * y; };
  Solve s(p, with_tolerance(1e-10));
  ASSERT_TRUE(s.run(true).converged());
  p.initial.reset();
  Solve other(p, with_tolerance(1e-10));
  ASSERT_TRUE(other.run().converged());
  EXPECT_LE(distance(values(s.solution()), values(other.solution())), 1e-7);
}

// Stopping.

TEST(Stopping, ZeroDataNeedNoIteration) {
  for (const BoundaryKind kind : {D, N, P}) {
    Problem p = box({12, 10, 8}, kind, 0);
    p.source = 0.0;
    for (auto& axis : p.boundary)
      for (Boundary& face : axis) face.value = 0.0;
    Solve s(p, with_tolerance(1e-8));
    const Result result = s.run();
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.relative(), 0);
    for (const double u : values(s.solution())) ASSERT_EQ(u, 0);
  }
}

TEST(Stopping, IsRelativeToTheData) {
  Problem p = box({24, 24, 24}, D, 0);
  for (const double initial : {0.0, 1e6}) {
    p.initial = initial;
    Solve s(p, with_tolerance(1e-6));
    Scalar norm = s.backend().scalar();
    s.solver().A().norm(s.rhs(), norm);
    const double data = std::sqrt(s.backend().value(norm)), first = true_residual(s);
    const Result result = s.run(true);
    EXPECT_NEAR(result.reference, data, 1e-12 * data);
    EXPECT_NEAR(result.initial, first, 1e-12 * first);
    EXPECT_EQ(first > 2 * data, initial != 0);
    EXPECT_LE(true_residual(s), 1.001e-6 * result.reference);
    EXPECT_LE(result.estimated_error, 1e-3);
  }
  // Large face data must count before full multigrid includes them.
  Solve faces(box({24, 24, 24}, D, 1e4), with_tolerance(1e-6));
  const double first = true_residual(faces);
  const Result result = faces.run();
  EXPECT_NEAR(result.reference, first, 1e-12 * first);
  EXPECT_LT(result.history.front(), 1e-2);
}

TEST(Stopping, WithoutToleranceAllIterationsRun) {
  for (const Method method : {Method::multigrid, Method::cg, Method::jacobi})
    for (const int count : {0, 1, 7, 60}) {
      Options o = with_tolerance(0);
      o.method = method;
      o.max_iterations = count;
      Solve s(box({10, 12}), o);
      const Result result = s.run();
      EXPECT_EQ(result.iterations, count);
      EXPECT_EQ(result.history.size(), static_cast<std::size_t>(count) + 1);
      EXPECT_EQ(result.verdict, Verdict::running);
      EXPECT_EQ(result.verdict, Verdict::running);
    }
}

TEST(Stopping, ASolutionAsGuessConvergesAtOnce) {
  for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
    Options o = with_tolerance(1e-8);
    o.krylov = krylov;
    Solve s(box({32, 30, 28}, D, 0), o);
    ASSERT_TRUE(s.run().converged());
    const std::vector<double> solution = values(s.solution());
    const Result again = s.run(true);
    EXPECT_TRUE(again.converged());
    EXPECT_EQ(again.iterations, 0);
    EXPECT_EQ(values(s.solution()), solution);
  }
}

TEST(Stopping, AListenerSeesEveryIterationAndMayStop) {
  Options o = with_tolerance(0);
  o.max_iterations = 1000000;
  Solve s(box({16, 16}), o);
  std::vector<double> seen;
  const Result result = s.run(false, [&](const Solver::Progress& progress) {
    EXPECT_EQ(progress.iteration, static_cast<int>(seen.size()));
    seen.push_back(progress.relative_residual);
    return progress.iteration < 3;
  });
  EXPECT_EQ(result.verdict, Verdict::stopped);
  EXPECT_GE(result.iterations, 3);  // a device continues until the request arrives
  EXPECT_LE(result.iterations, on_cpu() ? 3 : 1000);
  EXPECT_EQ(seen, result.history);
}

// Other ends.

TEST(Verdict, IterationLimit) {
  Options o = with_tolerance(1e-10);
  o.max_iterations = 2;
  Solve s(box({32, 32, 32}), o);
  const Result result = s.run();
  EXPECT_EQ(result.verdict, Verdict::running);
  EXPECT_EQ(result.iterations, 2);
}

TEST(Verdict, RoundingFloor) {
  for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single})
    for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
      Options o = with_tolerance(1e-22, precision);
      o.krylov = krylov;
      o.max_iterations = 1000;
      Solve s(box({32, 32, 32}), o);
      const Result result = s.run();
      EXPECT_EQ(result.verdict, Verdict::stagnated);
      EXPECT_TRUE(result.at_rounding_floor());
      EXPECT_LT(result.relative(), 100 * result.rounding_floor);
      EXPECT_GT(result.relative(), 0.01 * result.rounding_floor) << "a prediction that far off is none";
      EXPECT_LE(true_residual(s), 1.5 * result.final);
    }
}

TEST(Verdict, Stagnation) {
  // Undamped Jacobi does not change the alternating component of an even periodic grid.
  Options o = with_tolerance(1e-8, SolvePrecision::double_);
  o.method = Method::jacobi;
  o.smoother.given["relaxation"] = 1.0;
  o.max_iterations = 100000;
  Solve s(box({8, 8}, P), o);
  randomize(s.rhs(), s.block().unknowns());
  const Result result = s.run();
  EXPECT_EQ(result.verdict, Verdict::stagnated);
  EXPECT_FALSE(result.at_rounding_floor());
}

TEST(Verdict, Divergence) {
  Options over_relaxed = with_tolerance(1e-8);
  over_relaxed.smoother = smoothing("red-black", {}, 2, 2);
  over_relaxed.smoother.given["relaxation"] = 2.5;
  Options jacobi = with_tolerance(1e-8);
  jacobi.method = Method::jacobi;
  jacobi.smoother.given["relaxation"] = 1.5;
  over_relaxed.fallback = Fallback::never;
  for (const Options& o : {over_relaxed, jacobi}) {
    Solve s(box({24, 24, 24}), o);
    const Result result = s.run();
    EXPECT_EQ(result.verdict, Verdict::diverged);
    EXPECT_GT(result.history.back(), 1e6 * result.history.front());
    EXPECT_LE(result.relative(), (1 + 1e-9) * result.history.front()) << "the best iterate is returned";
    EXPECT_NEAR(true_residual(s), result.final, 1e-6 * result.final);
  }
}

TEST(Verdict, NotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
      Options o = with_tolerance(1e-8);
      o.krylov = krylov;
      Solve s(box({12, 12, 12}), o);
      edit(s.rhs(), [bad](Field& b) { b.view<double>()(5, 6, 7) = bad; });
      const Result result = s.run();
      EXPECT_EQ(result.verdict, Verdict::not_finite);
      EXPECT_EQ(result.iterations, 0);
    }
}

TEST(Verdict, TheBestIterateIsReturned) {
  // With slightly over-relaxed Jacobi, smooth components decay until growing oscillations exceed them.
  Options o = with_tolerance(1e-12);
  o.method = Method::jacobi;
  o.smoother.given["relaxation"] = 1.1;
  o.max_iterations = 150;
  Problem p = box({8, 8, 8}, D, 0);
  p.source = [](double x, double y, double z) { return x * (1 - x) * y * (1 - y) * z * (1 - z); };
  Solve s(p, o);
  const Result result = s.run();
  const auto best = std::min_element(result.history.begin(), result.history.end());
  ASSERT_NE(best, result.history.begin());
  ASSERT_GT(result.history.back(), 2 * *best);
  EXPECT_DOUBLE_EQ(result.relative(), *best);
  EXPECT_NEAR(true_residual(s), result.final, 1e-9 * result.final);
}

/// A given number of conjugate gradient steps goes far below rounding, but the reported residual must be that of u.
TEST(Solver, StatesTheResidualOfAGivenNumberOfSteps) {
  Options o = with_tolerance(0, SolvePrecision::double_);
  o.krylov = Krylov::cg;
  for (const int count : {5, 60}) {
    o.max_iterations = count;
    Solve s(varying(box({16, 12, 14})), o);
    const Result result = s.run();
    EXPECT_EQ(result.iterations, count);
    EXPECT_NEAR(true_residual(s), result.final, 1e-9 * result.final) << count;
    EXPECT_DOUBLE_EQ(result.history.back(), result.relative()) << count;
  }
}

TEST(EstimatedError, IsAtLeastATenthAndAtMostAHundredTimesTheTrueOne) {
  for (const Krylov krylov : {Krylov::none, Krylov::cg})
    for (const Problem& problem : {box({48, 40, 44}), varying(box({32, 40, 36}, R)), box({96, 64}, D)}) {
      Options o = with_tolerance(0, SolvePrecision::double_);
      o.krylov = krylov;
      o.max_iterations = 20;
      Solve exact(problem, o);
      exact.run();
      for (const int count : {2, 3, 5}) {
        o.max_iterations = count;
        Solve s(problem, o);
        const double estimate = s.run().estimated_error;
        const std::vector<double> u = values(exact.solution()), v = values(s.solution());
        double error = 0, size = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
          error += (u[i] - v[i]) * (u[i] - v[i]);
          size += u[i] * u[i];
        }
        EXPECT_LE(estimate, 100 * std::sqrt(error / size)) << count;
        EXPECT_GE(estimate, 0.1 * std::sqrt(error / size)) << count;
      }
    }
}

/// A large α makes a disc of a face an electrode; the rest of the face is insulated.
TEST(Solver, TakesConjugateGradientsWhereAlphaVaries) {
  for (const Scheme scheme : {Scheme::fv, Scheme::q1})
    for (const Centering centering : {Centering::node, Centering::cell}) {
      if (scheme == Scheme::q1 && centering == Centering::cell) continue;
      Problem p;
      p.scheme = scheme;
      p.centering = centering;
      for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 32);
      for (auto& axis : p.boundary)
        for (Boundary& face : axis) face.kind = BoundaryKind::neumann;
      const auto in_disc = [](double x, double y) { return std::hypot(x - 0.5, y - 0.5) < 0.25; };
      p.boundary[2][0].kind = BoundaryKind::dirichlet;
      p.boundary[2][1] = {BoundaryKind::robin, [=](double x, double y, double) { return in_disc(x, y) ? 1e7 : 0; },
                          [=](double x, double y, double) { return in_disc(x, y) ? 1e7 : 0; }};
      EXPECT_EQ(resolve_options(Options{.method = Method::multigrid}, p).krylov, Krylov::cg);
      Solve s(p, Options{.method = Method::multigrid});
      const Result result = s.run();
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, 8);
      // The expected value is that of Dirichlet data on the disc, 0.70 to 0.73 by nodes and by cells.
      const Balance b = balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
      EXPECT_NEAR(b.flux[5], 0.7, 0.05);
      p.boundary[2][1].alpha = 2.0;
      EXPECT_EQ(resolve_options(Options{.method = Method::multigrid}, p).krylov, Krylov::none);
    }
}

/// Robin faces hardly conduct, so rounding stops the iteration above its tolerance. The solution must still be
/// accurate.
TEST(Solver, ReturnsTheBestIterateAtTheRoundingLimit) {
  Problem p;
  for (auto& nodes : p.nodes)
    for (int i = 0; i <= 16; ++i) nodes.push_back(i / 16.0);
  p.source = 1.0;
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) {
      face.kind = BoundaryKind::robin;
      face.alpha = 1e-6;
    }
  Solve s(p, {.method = Method::multigrid});
  s.run();
  const std::vector<double> u = values(s.solution());
  EXPECT_NEAR(*std::ranges::min_element(u), 1 / 6e-6, 1);  // a flow of 1 through 6 faces
}

}  // namespace
}  // namespace poisson::solver_tests
