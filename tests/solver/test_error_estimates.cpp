// These tests check the estimated error where the residual hides it: thin boxes and stretched
// axes, nearly singular systems, guesses below the tolerance, and guesses for zero data.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/unknowns.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "solver/direct/axis_modes.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson::error_estimates_tests {
namespace {

constexpr std::array methods{Method::automatic, Method::direct, Method::multigrid, Method::cg};

Options by(Method method) {
  Options options;
  options.method = method;
  options.max_iterations = 3000;
  return options;
}

// Returns a problem with u = x, driven by fluxes across the thin axis, with a Dirichlet face only at the upper end of
// y. Finite volumes solve it exactly, so all errors are those of the solver.
Problem thin_box(int dimension, int cells, double thickness, double expansion, Centering centering) {
  Problem p;
  p.dimension = dimension;
  p.centering = centering;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    p.nodes[d] = uniform_nodes(0, d == 0 ? thickness : 1, cells);
    const double ratio = std::pow(expansion, 1.0 / (cells - 1));
    double width = 1, sum = 0;
    std::vector<double>& nodes = p.nodes[d];
    std::vector<double> at{0};
    for (int i = 0; i < cells; ++i, width *= ratio) at.push_back(sum += width);
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = at[i] / sum * (d == 0 ? thickness : 1);
    for (Boundary& face : p.boundary[d]) face = {BoundaryKind::neumann, 0.0};
  }
  p.boundary[0] = {Boundary{BoundaryKind::neumann, -1.0}, Boundary{BoundaryKind::neumann, 1.0}};
  p.boundary[1][1] = {BoundaryKind::dirichlet, [](double x, double, double) { return x; }};
  p.source = 0.0;
  p.exact = [](double x, double, double) { return x; };
  return p;
}

TEST(ErrorEstimates, BoundErrorsInThinBoxes) {
  int direct = 0, converged = 0;
  for (const int dimension : {2, 3})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const double thickness : {1.0, 1e-3, 1e-4, 1e-5, 1e-6})
        for (const Method method : methods) {
          const int cells = dimension == 2 ? 32 : 16;
          SCOPED_TRACE(std::to_string(dimension) + "-D, thickness " + std::to_string(thickness) + ", method " +
                       std::to_string(static_cast<int>(method)) + (centering == Centering::cell ? ", cells" : ""));
          const Options options = by(method);
          Solve s(thin_box(dimension, cells, thickness, 1000, centering), options);
          const Result result = s.run();
          const double size = solution_norms(s.discretization(), s.solution()).l2;
          const double error = error_norms(s.discretization(), s.solution()).l2 / size;
          converged += result.converged() ? 1 : 0;
          direct += s.solver().options().method == Method::direct && result.converged() ? 1 : 0;
          if (result.converged()) {
            EXPECT_LE(error, promised_error * options.tolerance);
          }
          EXPECT_LE(error, 10 * result.estimated_error + 1e-12);
        }
  EXPECT_GE(direct, 16);
  EXPECT_GE(converged, 40);
}

TEST(ErrorEstimates, BoundErrorsForAnisotropicKappa) {
  for (const double length : {1.0, 30.0}) {
    Problem p = thin_box(2, 32, 1, 1e6, Centering::cell);
    for (double& y : p.nodes[1]) y *= length;
    p.isotropic = false;
    p.coefficient = {1e4, 1e-4, 1.0};
    p.boundary[1][1].value = [](double x, double, double) { return 1e-4 * x; };
    p.exact = [](double x, double, double) { return 1e-4 * x; };
    Solve s(p, by(Method::direct));
    const Result result = s.run();
    const double size = solution_norms(s.discretization(), s.solution()).l2;
    EXPECT_LE(error_norms(s.discretization(), s.solution()).l2 / size, 10 * result.estimated_error);
    EXPECT_LT(result.estimated_error, 1e-3);
  }
}

std::vector<double> growing_nodes(double length, int cells, double expansion, StretchedEnd at) {
  return geometric_nodes(0, length, cells, geometric_ratio(expansion, cells, at), at);
}

// Rounding leaves errors that neither the contraction nor earlier steps show, here 3 to 50 times their estimate. The
// next cycle shows them.
TEST(ErrorEstimates, BoundErrorsBelowTheRoundingLimit) {
  struct Case {
    Problem problem;
    SolvePrecision precision;
  };
  std::vector<Case> cases;
  const auto add = [&](int dimension, double thickness, Centering centering, SolvePrecision precision) -> Problem& {
    cases.push_back({thin_box(dimension, 2, thickness, 1, centering), precision});
    return cases.back().problem;
  };
  Problem& first = add(2, 9.1e-7, Centering::node, SolvePrecision::double_);
  first.nodes[0] = growing_nodes(9.1e-7, 17, 3962, StretchedEnd::upper);
  first.nodes[1] = growing_nodes(1, 3, 174366, StretchedEnd::lower);
  Problem& second = add(2, 7.3e-7, Centering::cell, SolvePrecision::double_);
  second.nodes[0] = growing_nodes(7.3e-7, 14, 21, StretchedEnd::upper);
  second.nodes[1] = growing_nodes(1, 11, 4.35, StretchedEnd::upper);
  Problem& third = add(3, 3.9e-7, Centering::cell, SolvePrecision::double_);
  third.nodes = {uniform_nodes(0, 3.9e-7, 3), growing_nodes(1, 8, 701, StretchedEnd::upper), uniform_nodes(0, 1, 5)};
  Problem& fourth = add(3, 4e-7, Centering::cell, SolvePrecision::mixed);
  fourth.nodes = {growing_nodes(4e-7, 4, 5.23, StretchedEnd::both), uniform_nodes(0, 1, 7), uniform_nodes(0, 1, 3)};
  for (const Case& c : cases) {
    Options options = by(Method::multigrid);
    options.precision = c.precision;
    Solve s(c.problem, options);
    const Result result = s.run();
    const double size = solution_norms(s.discretization(), s.solution()).l2;
    const double error = error_norms(s.discretization(), s.solution()).l2 / size;
    EXPECT_LE(error, 10 * result.estimated_error);
    if (result.converged()) {
      EXPECT_LE(error, promised_error * options.tolerance);
    }
  }
}

// For a wide range of κ, flows are balanced in a field of the solver, from which an iteration may resume. Its values in
// Dirichlet rows must not change the data.
TEST(ErrorEstimates, KeepDirichletData) {
  Problem p = thin_box(2, 2, 1, 1, Centering::node);
  p.nodes = {growing_nodes(1, 10, 13.987091662702882, StretchedEnd::both),
             growing_nodes(1, 11, 89640.4104027942, StretchedEnd::both), p.nodes[2]};
  p.coefficient = {[](double x, double, double) { return std::pow(3.13e7, x); }};
  p.source = [](double x, double y, double) { return std::sin(40 * x + 90 * y); };
  p.boundary[0] = {Boundary{BoundaryKind::neumann, 1.0}, Boundary{BoundaryKind::dirichlet, 1.0}};
  p.boundary[1] = {Boundary{BoundaryKind::neumann, 1.0}, Boundary{BoundaryKind::dirichlet, 0.2}};
  Options options = by(Method::automatic);
  options.preconditioner = PreconditionerChoice::direct;
  options.tolerance = 1.5075608842138847e-06;
  Solve s(p, options);
  const std::vector<double> before = values(s.solution());
  const Result result = s.run();
  const std::vector<double> after = values(s.solution());
  EXPECT_TRUE(result.converged());
  ASSERT_LE(*std::ranges::min_element(result.history), options.tolerance);
  EXPECT_LT(*std::ranges::min_element(result.history), 0.3 * options.tolerance);  // the iteration was resumed
  const Box inside = s.block().space().part().unknowns();
  std::size_t n = 0;
  for_each(s.solution().layout().box(), [&](int i, int j, int) {
    const bool unknown = i >= inside.first[0] && i < inside.last[0] && j >= inside.first[1] && j < inside.last[1];
    if (!unknown) {
      EXPECT_EQ(after[n], before[n]);
    }
    ++n;
  });
}

// Only σ, or α on one face, determines the mean.
TEST(ErrorEstimates, BoundErrorsOfNearlySingularProblems) {
  for (const Method method : {Method::automatic, Method::direct, Method::multigrid})
    for (const bool robin : {false, true})
      for (const double weak : {1e-8, 1e-12}) {
        Problem p = thin_box(2, 32, 1, 6, Centering::node);
        for (auto& axis : p.boundary)
          for (Boundary& face : axis) face = {BoundaryKind::neumann, 0.0};
        if (robin)
          p.boundary[0][0] = {BoundaryKind::robin, 0.0, weak};
        else
          p.reaction = weak;
        p.source = 1.0;
        p.exact = {};
        Solve s(p, by(method));
        const Result result = s.run();
        // Except for the mean, which α determines, the variation of u is as small as its rounding.
        EXPECT_TRUE(robin ? result.at_rounding_floor() : result.converged()) << name_of(result.verdict);
        EXPECT_NEAR(solution_norms(s.discretization(), s.solution()).integral * weak, 1, 1e-6);
      }
}

Problem cavity(Centering centering) {
  Problem p;
  p.dimension = 3;
  p.centering = centering;
  for (std::size_t d = 0; d < 3; ++d) {
    p.nodes[d] = uniform_nodes(0, 1, 12);
    for (Boundary& face : p.boundary[d]) face = {BoundaryKind::dirichlet, 0.0};
  }
  p.boundary[2][1].value = 1.0;
  p.source = 0.0;
  return p;
}

TEST(Guesses, OfAResultHaveConverged) {
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const Method method : {Method::automatic, Method::direct, Method::multigrid, Method::cg, Method::jacobi}) {
      Solve s(cavity(centering), by(method));
      const Result first = s.run();
      ASSERT_TRUE(first.converged());
      const Result again = s.run(true);
      EXPECT_TRUE(again.converged());
      EXPECT_LE(again.iterations, 1);
      EXPECT_NEAR(again.reference / first.reference, 1, 1e-12);
      EXPECT_LT(again.estimated_error, 1e-5);
    }
}

// The reference must not depend on the guess: a distant guess needs more iterations to the same residual.
TEST(Guesses, DoNotLoosenTheTolerance) {
  for (const Centering centering : {Centering::node, Centering::cell}) {
    Solve s(cavity(centering), by(Method::multigrid));
    const Result first = s.run();
    ASSERT_TRUE(first.converged());
    edit(s.solution(), [&](Field& host) {
      dispatch(host.precision(), [&]<class T>(T) {
        const auto u = host.view<T>();
        for_each(s.solver().A().space().part().unknowns(),
                 [&](int i, int j, int k) { u(i, j, k) = static_cast<T>(100 * (1 + (i * 7 + j + k) % 5)); });
      });
    });
    const Result again = s.run(true);
    EXPECT_TRUE(again.converged());
    EXPECT_NEAR(again.reference / first.reference, 1, 1e-12);
    EXPECT_GT(again.initial, 30 * first.initial);
    EXPECT_LE(again.final, 1e-8 * first.reference);
  }
}

TEST(Guesses, ForDataOfZeroAreSolvedAway) {
  for (const Method method : methods) {
    Problem p = cavity(Centering::node);
    p.boundary[2][1].value = 0.0;
    p.initial = [](double x, double y, double z) { return 1 + x + y * z; };
    Solve s(p, by(method));
    const Result result = s.run(true);
    EXPECT_TRUE(result.converged());
    const std::vector<double> u = values(s.solution());
    EXPECT_LT(std::abs(*std::ranges::max_element(u, {}, [](double x) { return std::abs(x); })), 1e-4);
  }
}

TEST(ClearUnknowns, LeavesNodesWithData) {
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    const auto backend = test_backend();
    const Discretization d(*backend, cavity(Centering::node));
    Field x(*backend, d.block().space(), precision);
    backend->fill(x, 3);
    clear_unknowns(x);
    const Box& inside = d.block().space().part().unknowns();
    const HostRead host(x);
    dispatch(precision, [&]<class T>(T) {
      const auto view = (*host).view<T>();
      for_each(x.layout().box(), [&](int i, int j, int k) {
        const bool unknown = i >= inside.first[0] && i < inside.last[0] && j >= inside.first[1] && j < inside.last[1] &&
                             k >= inside.first[2] && k < inside.last[2];
        ASSERT_EQ(view(i, j, k), unknown ? T(0) : T(3));
      });
    });
  }
}

// For equal cells the spectrum is known: λ = (2/h sin(k π h/2L))².
TEST(AxisSpectrum, BoundsEqualCells) {
  for (const bool both : {true, false}) {
    Problem p = cavity(Centering::node);
    p.boundary[0][1].kind = both ? BoundaryKind::dirichlet : BoundaryKind::neumann;
    const Block block = make_block(p);
    const AxisSpectrum bounds = spectrum_bounds(axis_pencil(block.axes[0], 1, 1, 1, nullptr));
    const double h = 1.0 / 12, least = std::pow(2 / h * std::sin(M_PI * h / (both ? 2 : 4)), 2);
    EXPECT_LE(bounds.least, least * (1 + 1e-12));
    EXPECT_GE(bounds.least, 0.6 * least);
    EXPECT_NEAR(bounds.largest_ratio * h * h, 2, 1e-12);
  }
  Problem p = cavity(Centering::cell);
  p.boundary[0] = {Boundary{BoundaryKind::neumann, 0.0}, Boundary{BoundaryKind::robin, 0.0, 1e-9}};
  AxisSpectrum bounds = spectrum_bounds(axis_pencil(make_block(p).axes[0], 1, 1, 1, nullptr));
  EXPECT_NEAR(bounds.least, 1e-9, 1e-15);
  p.boundary[0][1] = {BoundaryKind::neumann, 0.0};
  bounds = spectrum_bounds(axis_pencil(make_block(p).axes[0], 1, 1, 1, nullptr));
  const double next = std::pow(24 * std::sin(M_PI / 24), 2);
  EXPECT_EQ(bounds.least, 0);
  EXPECT_LE(bounds.least_beside_constants, next);
  EXPECT_GE(bounds.least_beside_constants, 0.6 * next);
}

}  // namespace
}  // namespace poisson::error_estimates_tests
