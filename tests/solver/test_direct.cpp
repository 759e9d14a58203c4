// These tests compare the direct solver of the coarsest level with elimination on the oracle's matrix.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/multigrid/direct.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/problems.hpp"

namespace poisson::direct_tests {
namespace {

/// Returns the oracle's solution of A u = b in the unknowns, without a mean for singular systems.
Vector dense_solution(const reference::System& s, const Vector& b) {
  std::vector<std::size_t> number;
  std::vector<std::size_t> position(b.size(), b.size());
  for (std::size_t i = 0; i < b.size(); ++i)
    if (s.unknown[i]) {
      position[i] = number.size();
      number.push_back(i);
    }
  const std::size_t n = number.size();
  // If 1 is added to every entry, the solution of the system has no mean if the right-hand side has none.
  std::vector<Vector> a(n, Vector(n, s.singular() ? 1 : 0));
  Vector rhs(n);
  for (std::size_t r = 0; r < n; ++r) {
    a[r][r] += s.diagonal[number[r]];
    for (const auto& e : s.neighbours[number[r]])
      if (s.unknown[e.column]) a[r][position[e.column]] += e.value;
    rhs[r] = b[number[r]];
  }
  const Vector x = reference::solve(a, rhs);
  Vector u(b.size(), 0);
  for (std::size_t r = 0; r < n; ++r) u[number[r]] = x[r];
  return u;
}

TEST(DirectSolver, EqualsDenseElimination) {
  const auto backend = test_backend();
  for (const NamedFaces& faces : all_faces())
    for (const NamedGrid& grid : all_grids)
      for (const ProblemChoice& choice : {ProblemChoice{2, {3, 2, 1}, Kappa::constant, Sigma::zero},
                                          {3, {2, 3, 2}, Kappa::random_tensor, Sigma::zero},
                                          {3, {3, 3, 3}, Kappa::constant_tensor, Sigma::varying}})
        for (const Precision precision : {Precision::fp32, Precision::fp64}) {
          SCOPED_TRACE(faces.name + ", " + grid.name + (precision == Precision::fp32 ? ", fp32" : ", fp64"));
          const Problem p = make_problem(faces, grid, choice);
          const auto A = Discretization(*backend, p).make_operator(precision);
          const reference::System s = reference::assemble(p, A->scale());
          Vector b = Random(1).vector(s.mass.size());
          Real sum = 0;
          for (std::size_t i = 0; i < b.size(); ++i) {
            b[i] = s.unknown[i] ? std::round(b[i] * 1024) : 0;  // exact, as is its sum
            sum += b[i];
          }
          if (s.singular()) b[0] -= sum;

          Field u(*backend, A->space().part().layout(), precision), f(*backend, A->space().part().layout(), precision);
          set_values(*backend, f, b);
          Vector cleared(b.size(), std::numeric_limits<double>::quiet_NaN());
          for (std::size_t i = 0; i < b.size(); ++i)
            if (!s.unknown[i]) cleared[i] = -77;
          set_values(*backend, u, cleared);
          const DirectSolver direct(*A);
          direct.solve(f, u);
          const Vector found = values(*backend, u);

          // The residual must be that of a backward-stable solution of a matrix known to the rounding of its precision.
          Vector residual(b.size(), 0), bound(b.size(), 0), x = found;
          Real largest = 0;
          for (std::size_t i = 0; i < b.size(); ++i) {
            if (!s.unknown[i]) {
              EXPECT_EQ(found[i], -77);
              x[i] = 0;
            }
            largest = std::max(largest, std::abs(x[i]));
          }
          Real row_sum = 0, largest_rhs = 0;
          for (std::size_t i = 0; i < b.size(); ++i) {
            if (s.unknown[i]) row_sum = std::max(row_sum, s.diagonal[i]);
            largest_rhs = std::max(largest_rhs, std::abs(b[i]));
          }
          for (std::size_t i = 0; i < b.size(); ++i) {
            if (!s.unknown[i]) continue;
            residual[i] = b[i] - s.row(i, x);
            bound[i] = 20 * epsilon(precision) * row_sum * largest;
          }
          EXPECT_TRUE(within(residual, Vector(b.size(), 0), bound));

          // On equal cells the matrix is well conditioned except for a small reaction, and the solutions themselves
          // must agree.
          if (grid.name == "equidistant" || grid.name == "giant") {
            const Real condition = std::max(Real{30}, row_sum * largest / largest_rhs);
            EXPECT_TRUE(
                within(x, dense_solution(s, b), Vector(b.size(), 30 * epsilon(precision) * condition * largest)));
          }
          if (HasFailure()) return;
        }
}

/// A matrix with a negative eigenvalue is refused.
TEST(DirectSolver, RefusesAMatrixThatIsNotPositive) {
  const auto backend = test_backend();
  NodeRows rows;
  for (std::size_t d = 0; d < 2; ++d)
    rows.block.axes[d] = Axis(uniform_nodes(0, 1, 3), BoundaryKind::neumann, BoundaryKind::neumann);
  rows.sigma = -1;
  const auto A = grid_kernels(*backend).make_operator(*backend, rows, {Precision::fp64}).A;
  EXPECT_THROW(DirectSolver{*A}, RunError);
}

}  // namespace
}  // namespace poisson::direct_tests
