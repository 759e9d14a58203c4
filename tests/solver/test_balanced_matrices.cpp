// These tests use matrices whose rows differ in scale: S A S with a diagonal S.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "grids/schemes/bands/matrix.hpp"
#include "solver/matrix_model.hpp"
#include "tests/solve.hpp"

namespace poisson::balanced_matrices_tests {
namespace {

// Returns a matrix with κ between neighbours on a grid of n × n points between Dirichlet ends, with κ(x, y) at each
// point.
template <class Kappa>
BandedMatrix diffusion(int n, const Kappa& kappa) {
  BandedMatrix m;
  m.shape = {n, n, 1};
  m.offsets = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  m.entries.assign(5, std::vector<double>(m.points(), 0.0));
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      for (std::size_t b = 1; b < 5; ++b) {
        const int i = x + m.offsets[b][0], j = y + m.offsets[b][1];
        const bool inside = i >= 0 && i < n && j >= 0 && j < n;
        const double here = kappa(x, y), there = inside ? kappa(i, j) : here, a = 2 * here * there / (here + there);
        if (inside) m.entries[b][m.place(x, y, 0)] = -a;
        m.entries[0][m.place(x, y, 0)] += a;
      }
  return m;
}

BandedMatrix scaled(BandedMatrix m, double decades) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-decades, decades);
  std::vector<double> s(m.points());
  for (double& value : s) value = std::pow(10, exponent(random));
  for (std::size_t b = 0; b < m.offsets.size(); ++b)
    for (int y = 0; y < m.shape[1]; ++y)
      for (int x = 0; x < m.shape[0]; ++x) {
        const std::size_t i = m.place(x, y, 0);
        if (m.entries[b][i] != 0) m.entries[b][i] *= s[i] * s[m.place(x + m.offsets[b][0], y + m.offsets[b][1], 0)];
      }
  return m;
}

constexpr auto one = [](int, int) { return 1.0; };

TEST(BalancedMatrices, KeepTheirBitsWhereScalesAreAlike) {
  const auto mild = [](int x, int y) { return 1 + 0.9 * ((x + y) % 2); };
  const auto blocks = [](int x, int y) { return std::pow(10.0, (x / 5 + y / 3) % 4 * 3); };
  for (const BandedMatrix& given :
       {diffusion(12, one), diffusion(12, mild), scaled(diffusion(12, one), 0.07), diffusion(16, blocks)}) {
    BandedMatrix m = given;
    measure(m);
    const BandedMatrix before = m;
    balance(m);
    EXPECT_TRUE(m.exponents.empty());
    EXPECT_EQ(m.entries, before.entries);
    EXPECT_EQ(m.strengths, before.strengths);
  }
}

TEST(BalancedMatrices, HaveDiagonalsAlikeAndTheFilesMeasures) {
  for (const double decades : {1., 4., 8., 20.}) {
    BandedMatrix m = scaled(diffusion(12, one), decades);
    measure(m);
    const BandedMatrix given = m;
    balance(m);
    ASSERT_FALSE(m.exponents.empty());
    const auto [least, most] = std::ranges::minmax(m.entries[0]);
    EXPECT_LT(most, 4 * least);
    EXPECT_EQ(m.dominance, given.dominance);
    EXPECT_EQ(m.asymmetry, given.asymmetry);
    for (std::size_t i = 0; i < m.points(); ++i)
      EXPECT_EQ(m.entries[0][i], given.entries[0][i] * m.factor(i) * m.factor(i)) << "powers of two round nothing";
    EXPECT_TRUE(m.symmetric());
  }
}

Result solve(const BandedMatrix& m, const Options& options) {
  const auto backend = test_backend();
  const MatrixModel model(*backend, m);
  const auto solver = make_solver(model, options);
  randomize(solver->rhs(), solver->A().space().part().unknowns());
  return solver->solve(false);
}

TEST(BalancedMatrices, ConvergeByEveryMethodAndPrecision) {
  for (const double decades : {1., 4., 8., 15.}) {
    BandedMatrix m = scaled(diffusion(24, one), decades);
    measure(m);
    balance(m);
    for (const Method method : {Method::automatic, Method::cg})
      for (const SolvePrecision precision : {SolvePrecision::mixed, SolvePrecision::double_, SolvePrecision::single}) {
        Options o{.method = method, .max_iterations = method == Method::cg ? 300 : 40};
        o.precision = precision;
        if (precision == SolvePrecision::single) o.tolerance = 1e-4;
        EXPECT_TRUE(solve(m, o).converged())
            << decades << " decades, " << static_cast<int>(method) << " " << static_cast<int>(precision);
      }
  }
}

// In fp32, cycles on entries that balance() would repair are slow or end in values that are not finite.
TEST(BalancedMatrices, ContinueWithAFallbackIfCyclesFail) {
  Options o{.method = Method::multigrid};
  for (const double decades : {4., 5., 6.}) {
    BandedMatrix m = scaled(diffusion(24, one), decades);
    measure(m);
    o.fallback = Fallback::never;
    const Result alone = solve(m, o);
    EXPECT_TRUE(decades < 5 ? alone.iterations > 60 : alone.verdict == Verdict::not_finite) << decades;
    o.fallback = Fallback::automatic;
    const Result result = solve(m, o);
    EXPECT_EQ(result.steps.size(), 1u) << decades;
    EXPECT_NE(result.verdict, Verdict::not_finite) << decades;
    EXPECT_EQ(result.converged(), decades < 5) << decades;
  }
}

}  // namespace
}  // namespace poisson::balanced_matrices_tests
