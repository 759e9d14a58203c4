// Sparse matrices of any pattern: their properties, what is refused, and solutions of unsymmetric and singular systems.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/compact/general_rows.hpp"
#include "solver/general_rows_model.hpp"

namespace poisson::test::general_rows_tests {
namespace {

struct Entry {
  int row, column;
  double value;
};
CsrMatrix matrix(const std::vector<Entry>& list, std::int64_t rows) {
  RowEntries entries;
  for (const Entry& e : list) {
    entries.row.push_back(e.row);
    entries.column.push_back(e.column);
    entries.value.push_back(e.value);
  }
  return compress(entries, rows);
}

// Upwind differences of −Δu + v·∇u on n² points: the diffusion is 1, the flow turns around the centre.
CsrMatrix convection(int n, double speed, bool walls = true) {
  std::vector<Entry> list;
  const double h = 1.0 / (n + 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int row = j * n + i;
      const double vx = speed * (0.5 - (j + 1) * h) * h, vy = speed * ((i + 1) * h - 0.5) * h;
      double sum = 0;
      const auto to = [&](int x, int y, double value) {
        const bool inside = x >= 0 && x < n && y >= 0 && y < n;
        if (inside) list.push_back({row, y * n + x, -value});
        if (inside || walls) sum += value;
      };
      to(i - 1, j, 1 + std::max(vx, 0.0));
      to(i + 1, j, 1 + std::max(-vx, 0.0));
      to(i, j - 1, 1 + std::max(vy, 0.0));
      to(i, j + 1, 1 + std::max(-vy, 0.0));
      list.push_back({row, row, sum});
    }
  return matrix(list, n * n);
}

std::vector<double> times(const CsrMatrix& A, const std::vector<double>& u) {
  std::vector<double> b(u.size(), 0);
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      b[i] += A.value[static_cast<std::size_t>(k)] * u[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])];
  return b;
}

std::vector<double> wave(std::size_t n) {
  std::vector<double> u(n);
  for (std::size_t i = 0; i < n; ++i) u[i] = std::sin(0.37 * static_cast<double>(i)) + 0.5;
  return u;
}

struct Solution {
  Result result;
  double error = 0;  // max |u − exact|
};
Solution solve(const GeneralRows& rows, const std::vector<double>& exact, Options options = {}) {
  const auto backend = make_cpu_backend();
  const GeneralRowsModel model(*backend, rows);
  const auto solver = make_general_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  Solution found{solver->solve(false), 0};
  const std::vector<double> u = get_rows(solver->solution(), model.rows());
  for (std::size_t i = 0; i < u.size(); ++i) found.error = std::max(found.error, std::abs(u[i] - exact[i]));
  return found;
}

GeneralRows system(const CsrMatrix& A, const std::vector<double>& u) {
  return examine_rows(A, times(A, u));
}

std::string refusal(const CsrMatrix& A, std::vector<double> b = {}) {
  try {
    examine_rows(A, std::move(b));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GeneralRows, SumDuplicatesAndDropZeros) {
  const CsrMatrix A = matrix({{1, 1, 2}, {0, 0, 1}, {1, 0, 3}, {0, 0, 4}, {1, 0, -3}, {0, 1, 0}}, 2);
  EXPECT_EQ(A.entries(), 2);
  EXPECT_EQ(A.at(0, 0), 5);
  EXPECT_EQ(A.at(1, 1), 2);
}

TEST(GeneralRows, KnowTheirProperties) {
  EXPECT_TRUE(examine_rows(convection(8, 0), {}).is_symmetric());
  EXPECT_FALSE(examine_rows(convection(8, 50), {}).is_symmetric());
  EXPECT_FALSE(examine_rows(convection(8, 0), {}).system.singular);
  EXPECT_TRUE(examine_rows(convection(8, 0, false), {}).system.singular);
  EXPECT_EQ(examine_rows(matrix({{0, 0, 1}, {1, 1, 1}, {2, 2, 4}}, 3), {}).parts, 3);
  EXPECT_EQ(examine_rows(matrix({{0, 0, 1}, {1, 1, 1}, {2, 2, 4}}, 3), {}).spread, 4);
}

TEST(GeneralRows, ExplainWhatTheyRefuse) {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}}, 2)), "row 2 of the matrix has no diagonal entry"));
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}, {1, 1, -2}}, 2)), "multiply matrix and right-hand side by -1"));
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}, {1, 1, INFINITY}}, 2)), "row 2 of the matrix has an entry that is not"));
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}}, 1), {1, 2}), "2 values, but the matrix has 1 rows"));
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}}, 1), {NAN}), "value 1 of the right-hand side is not finite"));
  const std::vector<Entry> pairs{{0, 0, 1}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1}, {2, 2, 1}};
  EXPECT_TRUE(has(refusal(matrix(pairs, 3)), "consists of 2 parts"));
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}, {0, 1, -1}, {1, 0, -2}, {1, 1, 2}}, 2)), "its transpose does not"));
  EXPECT_TRUE(has(refusal(matrix({{0, 0, 1}, {0, 1, -2}, {1, 0, -1}, {1, 1, 2}}, 2)), "the matrix does not"));
}

TEST(GeneralRows, SolveSymmetricSystems) {
  const auto u = wave(10000);
  const GeneralRows rows = system(convection(100, 0), u);
  const Solution found = solve(rows, u);
  EXPECT_TRUE(found.result.converged());
  EXPECT_LE(found.result.iterations, 15);
  EXPECT_LT(found.error, 1e-6);
}

class Speeds : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Of, Speeds, ::testing::Values(1.0, 30.0, 1000.0));

TEST_P(Speeds, SolveUnsymmetricSystems) {
  const auto u = wave(10000);
  const GeneralRows rows = system(convection(100, GetParam()), u);
  ASSERT_FALSE(rows.is_symmetric());
  Options options;
  options.max_iterations = 2000;
  const Solution found = solve(rows, u, options);
  EXPECT_TRUE(found.result.converged()) << found.result.relative() << " " << found.result.iterations;
  EXPECT_LT(found.error, 1e-4);
  RecordProperty("iterations", found.result.iterations);
  options.method = Method::cg;
  EXPECT_LT(solve(rows, u, options).error, 1e-4);
}

// The flow enters and leaves nowhere, so both the matrix and its transpose map constants to zero.
TEST(GeneralRows, SolveSingularUnsymmetricSystems) {
  const int n = 60;
  std::vector<Entry> list;
  for (int i = 0; i < n; ++i) {
    list.push_back({i, i, 3});
    list.push_back({i, (i + 1) % n, -1});
    list.push_back({i, (i + n - 1) % n, -2});
  }
  std::vector<double> u = wave(n);
  double mean = 0;
  for (const double value : u) mean += value / n;
  for (double& value : u) value -= mean;
  const GeneralRows rows = system(matrix(list, n), u);
  EXPECT_TRUE(rows.system.singular);
  EXPECT_LT(solve(rows, u).error, 1e-6);
}

// The symmetric part is indefinite, so that it has no levels: the diagonal preconditions.
TEST(GeneralRows, UseTheDiagonalWithoutLevels) {
  const GeneralRows rows = system(matrix({{0, 0, 1}, {0, 1, -3}, {1, 1, 1}, {2, 2, 1}, {1, 2, -3}}, 3), wave(3));
  Options options;
  options.max_iterations = 50;
  const Solution found = solve(rows, wave(3), options);
  EXPECT_TRUE(found.result.converged());
  EXPECT_LT(found.error, 1e-7);
}

TEST(GeneralRows, RefuseOptionsForUnsymmetricSystems) {
  const GeneralRows rows = system(convection(8, 50), wave(64));
  Options options;
  options.krylov = Krylov::cg;
  EXPECT_THROW(solve(rows, wave(64), options), InputError);
  options = {};
  options.precision = SolvePrecision::single;
  EXPECT_THROW(solve(rows, wave(64), options), InputError);
}

// Random diagonally dominant matrices of irregular pattern, as users bring them.
TEST(GeneralRows, SolveRandomPatterns) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0, 1);
  for (const bool symmetric : {true, false}) {
    const int n = 5000;
    std::vector<Entry> list;
    std::vector<double> sums(n, 0.01);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k) {
        const int j = static_cast<int>(number(random) * number(random) * n);
        if (j == i) continue;
        const double a = std::pow(10, 3 * number(random)), b = symmetric ? a : a * number(random);
        list.push_back({i, j, -a});
        list.push_back({j, i, -b});
        sums[static_cast<std::size_t>(i)] += a;
        sums[static_cast<std::size_t>(j)] += b;
      }
    for (int i = 0; i < n; ++i) list.push_back({i, i, 1.01 * sums[static_cast<std::size_t>(i)]});
    const auto u = wave(n);
    const GeneralRows rows = system(matrix(list, n), u);
    EXPECT_EQ(rows.is_symmetric(), symmetric);
    const Solution found = solve(rows, u);
    EXPECT_TRUE(found.result.converged()) << symmetric;
    EXPECT_LT(found.error, 1e-5);
  }
}

}  // namespace
}  // namespace poisson::test::general_rows_tests
