// Replacing data of a discretization must change b and u bit by bit to those of a new discretization.

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/gather.hpp"
#include "grids/results/integrals.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson::replaced_data_tests {
namespace {

static_assert(!std::is_constructible_v<Discretization, Backend&, Problem&>, "it could be changed behind its back");
static_assert(std::is_constructible_v<Discretization, Backend&, Problem> &&
              std::is_constructible_v<Discretization, Backend&, const Problem&>);

struct Kind {
  Scheme scheme;
  Centering centering;
};
constexpr Kind kinds[]{{Scheme::fv, Centering::node}, {Scheme::fv, Centering::cell}, {Scheme::q1, Centering::node}};

/// Returns a problem with every kind of face and a varying κ.
Problem given(const Kind& kind, int dimension) {
  Problem p;
  p.dimension = dimension;
  p.scheme = kind.scheme;
  p.centering = kind.centering;
  p.nodes = {uniform_nodes(0, 1, 9), uniform_nodes(-1, 1, 8), {}};
  if (dimension == 3) p.nodes[2] = uniform_nodes(0, 2, 7);
  p.coefficient[0] = [](double x, double y, double) { return 1 + x * x + y * y; };
  p.source = [](double x, double y, double z) { return x - y + z; };
  p.boundary[0][0] = {BoundaryKind::dirichlet, [](double, double y, double) { return y; }};
  p.boundary[0][1] = {BoundaryKind::neumann, 2.0};
  p.boundary[1][0] = {BoundaryKind::robin, 1.0, 3.0};
  return p;
}

std::vector<double> with_halo_of(const Field& field) {
  std::vector<double> all;
  const HostRead read(field);
  const auto view = (*read).view<double>();
  for (int k = 0; k < view.n[2]; ++k)
    for (int j = -1; j <= view.n[1]; ++j)
      for (int i = -1; i <= view.n[0]; ++i) all.push_back(view(i, j, k));
  return all;
}

TEST(ReplacedData, AreThoseOfANewDiscretization) {
  const auto backend = test_backend();
  for (const Kind& kind : kinds)
    for (const int dimension : {2, 3}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind.scheme) << static_cast<int>(kind.centering)
                                      << dimension);
      Problem other = given(kind, dimension);
      Discretization d(*backend, std::as_const(other));
      Field b(*backend, d.block().layout(), Precision::fp64), u(*backend, d.block().layout(), Precision::fp64);
      d.assemble_rhs(b);
      d.initialize(u);

      const auto wave = [](double x, double y, double z) { return std::sin(3 * x) * std::cos(2 * y + z); };
      d.set_source(other.source = wave);
      d.set_boundary_value(0, 0, other.boundary[0][0].value = 7.0);
      d.set_boundary_value(0, 1, other.boundary[0][1].value = wave);
      d.set_boundary_value(1, 0, other.boundary[1][0].value = -2.0);
      d.set_initial(other.initial = wave);
      d.set_exact(other.exact = wave);
      const Discretization fresh(*backend, std::as_const(other));
      Field b_fresh(*backend, d.block().layout(), Precision::fp64),
          u_fresh(*backend, d.block().layout(), Precision::fp64);
      EXPECT_EQ(d.assemble_rhs(b), fresh.assemble_rhs(b_fresh));
      d.initialize(u);
      fresh.initialize(u_fresh);
      EXPECT_EQ(with_halo_of(b), with_halo_of(b_fresh));
      EXPECT_EQ(with_halo_of(u), with_halo_of(u_fresh));
      EXPECT_EQ(error_norms(d, u).max, error_norms(fresh, u_fresh).max);
    }
}

TEST(ReplacedData, SolveOnTheSameLevels) {
  const auto backend = test_backend();
  Problem p = given(kinds[0], 3);
  Discretization d(*backend, std::as_const(p));
  const auto solver = make_solver(d, {.method = Method::multigrid});
  const auto solve = [](const Discretization& on, Solver& with) {
    on.assemble_rhs(with.rhs());
    on.initialize(with.solution());
    EXPECT_TRUE(with.solve(false).converged());
    return gather_values(on.block(), with.solution()).all();
  };
  const auto before = solve(d, *solver);
  p.source = 5.0;
  d.set_source(5.0);
  const auto after = solve(d, *solver);
  const Discretization fresh(*backend, std::as_const(p));
  EXPECT_NE(after, before);
  EXPECT_EQ(after, solve(fresh, *make_solver(fresh, {.method = Method::multigrid})));
}

TEST(ReplacedData, RefuseDataThatTheOperatorDependsOn) {
  const auto backend = test_backend();
  Problem p = given(kinds[2], 2);
  p.boundary[1][0] = {BoundaryKind::neumann, 0.0};
  p.boundary[0][1] = {BoundaryKind::neumann, 0.0};
  Discretization d(*backend, std::as_const(p));
  EXPECT_THROW(d.set_boundary_value(0, 1, 1.0), std::invalid_argument);  // would move the samples of κ
  EXPECT_NO_THROW(d.set_boundary_value(0, 0, 1.0));
  EXPECT_THROW(d.set_boundary_value(2, 0, 1.0), std::invalid_argument);
  EXPECT_THROW(d.set_boundary_value(0, 2, 1.0), std::invalid_argument);
  p.boundary[1][0].kind = p.boundary[1][1].kind = BoundaryKind::periodic;
  Discretization periodic(*backend, std::as_const(p));
  EXPECT_THROW(periodic.set_boundary_value(1, 0, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace poisson::replaced_data_tests
