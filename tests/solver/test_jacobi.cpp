// method: jacobi must have the iterates of single sweeps for any number of sweeps per pass.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solver/jacobi.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/oracles/same_values.hpp"
#include "tests/problems.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::jacobi_tests {
namespace {

Options sweeps(int iterations, SolvePrecision precision) {
  Options o;
  o.method = Method::jacobi;
  o.tolerance = 0;
  o.max_iterations = iterations;
  o.precision = precision;
  return o;
}

/// Computes single sweeps from the initial guess, and the norms of their residuals after each iteration.
struct OneByOne {
  OneByOne(Solve& s, int iterations) {
    s.reset();
    const Operator& A = s.solver().A();
    Backend& backend = s.backend();
    const auto points = A.split();
    const double damping = jacobi_damping(s.solver().options().smoother, points->largest_eigenvalue());
    Field first(backend, A.space(), A.precision()), second(backend, A.space(), A.precision());
    Field *now = &first, *next = &second;
    for (Field* f : {now, next}) backend.convert(s.solution(), *f);
    Scalar norm = backend.scalar(), one = backend.scalar(1);
    Field r(backend, A.space(), A.precision());
    for (int i = 0; i <= iterations; ++i) {
      A.residual(*now, s.rhs(), r, one, norm);
      norms.push_back(std::sqrt(backend.value(norm)));
      if (i == iterations) break;
      for (int sweep = 0; sweep < JacobiSweeps::sweeps; ++sweep) {
        points->step({damping, 0}, *now, s.rhs(), *next);
        std::swap(now, next);
      }
    }
    u = values(*now);
  }
  std::vector<double> u, norms;
};

// Returns the rounding of a solution in this precision.
double rounding(SolvePrecision precision) {
  return precision == SolvePrecision::single ? 1e-5 : 1e-13;
}

TEST(Jacobi, HasTheIteratesOfSingleSweeps) {
  std::size_t turn = 0;
  for (const NamedFaces& faces : all_faces())
    for (const SolvePrecision precision : {SolvePrecision::mixed, SolvePrecision::single}) {
      const bool flat = turn % 3 == 2;
      const ProblemChoice choice{.dimension = flat ? 2 : 3,
                                 .cells = flat ? std::array{57, 43, 1} : std::array{19, 12, 15},
                                 .kappa = turn % 2 == 0 ? Kappa::constant : Kappa::random,
                                 .centering = turn / 2 % 2 == 0 ? Centering::node : Centering::cell};
      ++turn;
      SCOPED_TRACE(faces.name + ", choice " + std::to_string(turn));
      Solve s(with_data(faces, all_grids[turn % 3], choice), sweeps(3, precision));
      if (s.solver().A().singular()) continue;  // data and solution are projected as well
      const Result result = s.run(true);
      const std::vector<double> u = values(s.solution());
      const OneByOne expected(s, 3);
      expect_same_values(u, expected.u, rounding(precision));
      ASSERT_EQ(result.history.size(), 4U);
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(result.history[i] * result.reference, expected.norms[i], rounding(precision) * expected.norms[0]);
      EXPECT_DOUBLE_EQ(result.final, result.history.back() * result.reference);
    }
}

/// Elements and matrices have no passes; the iteration consists of single sweeps.
TEST(Jacobi, RunsSingleSweepsWithoutPasses) {
  ProblemChoice choice;
  choice.cells = {9, 8, 7};
  choice.scheme = Scheme::q1;
  Solve s(with_data(all_faces()[0], all_grids[1], choice), sweeps(2, SolvePrecision::double_));
  s.run(true);
  const std::vector<double> u = values(s.solution());
  expect_same_values(u, OneByOne(s, 2).u, rounding(SolvePrecision::double_));
}

/// The estimated error must be that of the result, although single sweeps hardly change it.
TEST(Jacobi, EstimatesItsError) {
  const Problem problem = with_data(all_faces()[0], all_grids[0], {.cells = {20, 24, 16}});
  Options direct{.method = Method::multigrid};
  direct.tolerance = 1e-13;
  Solve exact(problem, direct);
  exact.run();
  const std::vector<double> u = values(exact.solution());
  for (const double tolerance : {1e-4, 1e-7}) {
    Options o = sweeps(10'000, SolvePrecision::double_);
    o.tolerance = tolerance;
    Solve s(problem, o);
    const Result result = s.run();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.relative(), tolerance);
    double error = 0, size = 0;
    const std::vector<double> found = values(s.solution());
    for (std::size_t i = 0; i < u.size(); ++i) {
      error += (found[i] - u[i]) * (found[i] - u[i]);
      size += u[i] * u[i];
    }
    error = std::sqrt(error / size);
    EXPECT_GT(result.estimated_error, 0.1 * error);
    EXPECT_LT(result.estimated_error, 10 * error);
  }
}

}  // namespace
}  // namespace poisson::jacobi_tests
