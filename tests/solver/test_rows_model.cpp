// Iterations of algebraic multigrid on compact rows.

#include <random>

#include <gtest/gtest.h>

#include "solver/rows_model.hpp"
#include "tests/device.hpp"

namespace poisson::rows_model_tests {
namespace {

struct Grid3D {
  int n = 32;
  std::array<double, 3> strength{1, 1, 1};
  double jump = 1;  ///< κ of about half of the blocks of 8³ cells
  bool neumann = false;
};

RowSystem rows_of(const Grid3D& g) {
  RowSystem system;
  CsrMatrix& A = system.A;
  const int n = g.n;
  A.columns = std::int64_t{n} * n * n;
  A.start.push_back(0);
  std::mt19937 random(4);
  std::vector<double> block(static_cast<std::size_t>(n * n * n / 64 + 64), 1);
  for (double& k : block)
    if (random() % 2 == 0) k = g.jump;
  const int b = (n + 7) / 8;
  const auto kappa = [&](const std::array<int, 3>& at) {
    return block[static_cast<std::size_t>((at[2] / 8 * b + at[1] / 8) * b + at[0] / 8)];
  };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const int here = (k * n + j) * n + i;
        std::vector<std::pair<int, double>> row{{here, 0}};
        const std::array<int, 3> step{1, n, n * n};
        for (std::size_t d = 0; d < 3; ++d)
          for (const int side : {-1, 1}) {
            std::array<int, 3> at{i, j, k};
            const double own = kappa(at);
            at[d] += side;
            const bool inside = at[d] >= 0 && at[d] < n;
            const double w = g.strength[d] * (inside      ? 2 * own * kappa(at) / (own + kappa(at))
                                              : g.neumann ? 0
                                                          : 2 * own);
            row[0].second += w;
            if (inside) row.emplace_back(here + side * step[d], -w);
          }
        std::ranges::sort(row);
        for (const auto& [c, v] : row) {
          A.column.push_back(c);
          A.value.push_back(v);
        }
        A.start.push_back(A.entries());
      }
  system.b.resize(static_cast<std::size_t>(A.rows()));
  std::normal_distribution<double> normal;
  for (double& value : system.b) value = normal(random);
  system.singular = g.neumann;
  system.range = g.jump;
  return system;
}

struct RowSolution {
  Result result;
  std::vector<double> u;
  double complexity;
};
RowSolution solve_rows(const RowSystem& system, const Options& options = {}) {
  const auto backend = test_backend();
  const RowsModel model(*backend, system);
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  RowSolution solved{solver->solve(false), {}, model.operator_complexity()};
  solved.u = get_rows(solver->solution(), model.rows());
  return solved;
}

double true_residual(const RowSystem& system, const std::vector<double>& u) {
  double r = 0, b = 0;
  for (std::int64_t i = 0; i < system.A.rows(); ++i) {
    double sum = system.b[static_cast<std::size_t>(i)];
    b += sum * sum;
    for (std::int64_t k = system.A.start[static_cast<std::size_t>(i)];
         k < system.A.start[static_cast<std::size_t>(i) + 1]; ++k)
      sum -= system.A.value[static_cast<std::size_t>(k)] *
             u[static_cast<std::size_t>(system.A.column[static_cast<std::size_t>(k)])];
    r += sum * sum;
  }
  return std::sqrt(r / b);
}

struct Count {
  Grid3D grid;
  int most;
};
class RowIterations : public ::testing::TestWithParam<Count> {};
INSTANTIATE_TEST_SUITE_P(Problems, RowIterations,
                         ::testing::Values(Count{{}, 12}, Count{{.strength = {1, 1, 1e3}}, 14},
                                           Count{{.strength = {1, 1, 1e-3}}, 14}, Count{{.neumann = true}, 14},
                                           Count{{.jump = 1e6}, 25}, Count{{.n = 27, .jump = 1e-4}, 25}));

TEST_P(RowIterations, AreFew) {
  const RowSystem system = rows_of(GetParam().grid);
  const RowSolution solved = solve_rows(system);
  EXPECT_TRUE(solved.result.converged());
  EXPECT_LE(solved.result.iterations, GetParam().most);
  EXPECT_LT(solved.complexity, 1.9);
  if (!system.singular) {
    EXPECT_LT(true_residual(system, solved.u), 1e-6);
  }
  EXPECT_EQ(solve_rows(system).u, solved.u);  // the same bits
  Options twice;
  twice.precision = SolvePrecision::double_;
  EXPECT_NEAR(solve_rows(system, twice).result.iterations, solved.result.iterations, 1);  // fp32 loses nothing
}

TEST(RowsModels, SolveWithNewValuesOnTheirPattern) {
  RowSystem system = rows_of({.n = 20});
  const auto backend = test_backend();
  const RowsModel model(*backend, system, true);
  const auto solver = make_solver(model, Options{});
  for (double& a : system.A.value) a *= 4;
  solver->update();
  model.fill(solver->rhs(), solver->solution());
  EXPECT_TRUE(solver->solve(false).converged());
  EXPECT_LT(true_residual(system, get_rows(solver->solution(), model.rows())), 1e-6);
}

TEST(RowsModels, SolveWithTheDiagonal) {
  const RowSystem system = rows_of({.n = 12});
  Options options;
  options.method = Method::cg;
  const RowSolution solved = solve_rows(system, options);
  EXPECT_TRUE(solved.result.converged());
  EXPECT_LT(true_residual(system, solved.u), 1e-7);
}

TEST(RowsModels, RefuseWhatNeedsAGrid) {
  for (const Method method : {Method::direct, Method::jacobi}) {
    Options options;
    options.method = method;
    EXPECT_THROW(resolve_row_options(options), InputError);
  }
}

}  // namespace
}  // namespace poisson::rows_model_tests
