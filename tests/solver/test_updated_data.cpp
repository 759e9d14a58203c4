// A solver whose model got another κ or σ must solve bit by bit as a new solver, in the same fields.

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "solver/matrix_model.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "tests/parts.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::updated_data_tests {
namespace {

struct Kind {
  const char* name;
  Scheme scheme;
  Centering centering;
};
constexpr Kind kinds[]{{"nodes", Scheme::fv, Centering::node},
                       {"cells", Scheme::fv, Centering::cell},
                       {"elements", Scheme::q1, Centering::node}};

double smooth(double x, double y, double z) {
  return 1 + 0.5 * std::sin(3 * x) * std::cos(2 * y + z);
}
double smoother(double x, double y, double z) {
  return 2 + x * y + 0.1 * z;
}
// Every fourth block of 1/12 has a large κ, which gives strong clusters on coarse levels.
double rough(double x, double y, double z) {
  const auto at = [](double t) { return static_cast<int>(std::floor(12 * t)); };
  return (at(x) * 3 + at(y) * 5 + at(z) * 7) % 4 == 0 ? 1e5 : 1.0;
}
double rougher(double x, double y, double z) {
  const auto at = [](double t) { return static_cast<int>(std::floor(12 * t)); };
  return (at(x) * 5 + at(y) * 3 + at(z)) % 4 == 0 ? 3e5 : 2.0;
}

Problem problem_on(const Kind& kind, int n, Quantity kappa) {
  Problem p;
  p.scheme = kind.scheme;
  p.centering = kind.centering;
  p.nodes = {uniform_nodes(0, 1, n), uniform_nodes(0, 1, n), uniform_nodes(0, 1, n)};
  p.coefficient[0] = std::move(kappa);
  p.source = [](double x, double y, double z) { return x - y + z * z; };
  p.boundary[0][0] = {BoundaryKind::dirichlet, [](double, double y, double) { return y; }};
  p.boundary[0][1] = {BoundaryKind::neumann, 2.0};
  p.boundary[1][0] = {BoundaryKind::robin, 1.0, 3.0};
  return p;
}

GridData with_kappa(Quantity kappa) {
  GridData data;
  data.coefficient = {std::move(kappa)};
  return data;
}

struct Answer {
  std::vector<double> u, history;
  double estimate = 0;
  bool operator==(const Answer&) const = default;
};

Answer answer(const GridModel& model, Solver& solver) {
  model.fill(solver.rhs(), solver.solution());
  solver.prepare(false);
  const Result result = solver.solve(false);
  EXPECT_TRUE(result.converged());
  return {values(solver.solution()), result.history, result.estimated_error};
}

// Solves with `first`, updates, and compares with a solver made for `second`. Returns whether the choices differ.
bool expect_fresh(Backend& backend, const Problem& first, const Problem& second, const Options& options,
                  const Sharing& sharing = {}) {
  GridModel model(backend, first, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(model, options);
  const Answer before = answer(model, *solver);
  const void* const u = solver->solution().data();
  const void* const b = solver->rhs().data();

  GridData data;
  data.coefficient.assign(second.coefficient.begin(), second.coefficient.end());
  data.reaction = second.reaction;
  model.update(std::move(data));
  const bool differs = solver->update();
  const Answer after = answer(model, *solver);
  EXPECT_EQ(solver->solution().data(), u);
  EXPECT_EQ(solver->rhs().data(), b);

  GridModel fresh(backend, second, Assembly::automatic, Sampling::automatic, sharing);
  const auto other = make_solver(fresh, options);
  EXPECT_EQ(after, answer(fresh, *other));
  EXPECT_NE(after.u, before.u);
  EXPECT_EQ(solver->options().method, other->options().method);
  EXPECT_EQ(solver->options().coarse_operator, other->options().coarse_operator);
  EXPECT_EQ(solver->levels(), other->levels());
  return differs;
}

TEST(UpdatedData, SolveAsANewSolverDoes) {
  const auto backend = test_backend();
  for (const Kind& kind : kinds)
    for (const SolvePrecision precision : {SolvePrecision::mixed, SolvePrecision::double_}) {
      SCOPED_TRACE(kind.name);
      Options options{.method = Method::multigrid};
      options.precision = precision;
      const Problem first = problem_on(kind, 12, smooth);
      EXPECT_FALSE(expect_fresh(*backend, first, problem_on(kind, 12, smoother), options));
      EXPECT_FALSE(expect_fresh(*backend, problem_on(kind, 12, 2.0), problem_on(kind, 12, 700.0), options));
      Problem reacting = first;
      reacting.reaction = [](double x, double, double) { return 5 + x; };
      expect_fresh(*backend, first, reacting, options);
      expect_fresh(*backend, reacting, first, options);
    }
}

TEST(UpdatedData, SolveAsANewSolverDoesByOtherMethods) {
  const auto backend = test_backend();
  const Problem first = problem_on(kinds[0], 10, smooth), second = problem_on(kinds[0], 10, smoother);
  Options cg{.method = Method::cg}, jacobi{.method = Method::jacobi}, direct{.method = Method::direct};
  cg.max_iterations = 500;
  jacobi.max_iterations = 500;
  jacobi.tolerance = 1e-4;
  expect_fresh(*backend, first, second, cg);
  expect_fresh(*backend, first, second, jacobi);
  expect_fresh(*backend, problem_on(kinds[0], 10, 2.0), problem_on(kinds[0], 10, 3.0), direct);
}

TEST(UpdatedData, KeepTheFieldsOfLevels) {
  const auto backend = test_backend();
  for (const auto& [first, second] : {std::pair{&smooth, &smoother}, std::pair{&rough, &rougher}}) {
    const Options options{.method = Method::multigrid};
    const GridModel before(*backend, problem_on(kinds[0], 24, first)),
        after(*backend, problem_on(kinds[0], 24, second));
    const Plan plan = before.plan(options), next = after.plan(options);
    Multigrid kept(before.levels(plan), plan.options), fresh(after.levels(next), next.options);
    const auto solved = [&](const GridModel& model, Multigrid& multigrid) {
      Field full(*backend, model.space(), Precision::fp64), start(*backend, model.space(), Precision::fp64);
      model.fill(full, start);
      backend->convert(full, multigrid.rhs());
      multigrid.solve();
      return values(multigrid.correction());
    };
    const void* const rhs = kept.rhs().data();
    const std::vector<double> of_before = solved(before, kept);
    kept.release();
    kept.refill(after.levels(next), next.options);
    EXPECT_EQ(kept.rhs().data(), rhs);
    EXPECT_EQ(kept.levels(), fresh.levels());
    const std::vector<double> of_after = solved(after, kept);
    EXPECT_EQ(of_after, solved(after, fresh));
    EXPECT_NE(of_after, of_before);
  }
}

// The tables of strong clusters change their size.
TEST(UpdatedData, SolveAsANewSolverDoesOnGalerkinLevels) {
  const auto backend = test_backend();
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const Options options{.method = Method::multigrid};
    EXPECT_FALSE(expect_fresh(*backend, problem_on(kind, 24, rough), problem_on(kind, 24, rougher), options));
  }
}

TEST(UpdatedData, StateWhetherAutomaticChoicesDiffer) {
  const auto backend = test_backend();
  const Options options;
  const Problem constant = problem_on(kinds[0], 24, 1.0), jumping = problem_on(kinds[0], 24, rough);
  EXPECT_TRUE(expect_fresh(*backend, constant, jumping, options));
  EXPECT_TRUE(expect_fresh(*backend, jumping, constant, options));
  EXPECT_FALSE(expect_fresh(*backend, constant, problem_on(kinds[0], 24, 5.0), options));
}

TEST(UpdatedData, SolveAsANewSolverDoesOnSeveralProcesses) {
  for (const Kind& kind : kinds)
    for (const auto& [first, second] : {std::pair{&smooth, &smoother}, std::pair{&rough, &rougher}}) {
      SCOPED_TRACE(kind.name);
      as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
        const auto backend = test_backend();
        expect_fresh(*backend, problem_on(kind, 24, first), problem_on(kind, 24, second), {.method = Method::multigrid},
                     {processes, {1, 1, 2}, 300});
      });
    }
}

TEST(UpdatedData, OfTheRightHandSideNeedNoOtherLevels) {
  const auto backend = test_backend();
  Problem p = problem_on(kinds[0], 12, smooth);
  GridModel model(*backend, p);
  const auto solver = make_solver(model, {.method = Method::multigrid});
  const Answer before = answer(model, *solver);
  GridData data;
  data.source = p.source = 7.0;
  data.faces = {{0, 0, p.boundary[0][0].value = 3.0}};
  model.update(std::move(data));
  const Answer after = answer(model, *solver);
  GridModel fresh(*backend, p);
  EXPECT_NE(after.u, before.u);
  EXPECT_EQ(after, answer(fresh, *make_solver(fresh, {.method = Method::multigrid})));
}

TEST(UpdatedData, IncludeAlphaOfRobinFaces) {
  const auto backend = test_backend();
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    Problem p = problem_on(kind, 12, smooth);
    GridModel model(*backend, p);
    const auto solver = make_solver(model, {.method = Method::multigrid});
    const Answer before = answer(model, *solver);
    GridData data;
    data.faces = {{1, 0, {}, p.boundary[1][0].alpha = 17.0}};
    model.update(std::move(data));
    solver->update();
    const Answer after = answer(model, *solver);
    GridModel fresh(*backend, p);
    EXPECT_NE(after.u, before.u);
    EXPECT_EQ(after, answer(fresh, *make_solver(fresh, {.method = Method::multigrid})));
    GridData of_dirichlet;
    of_dirichlet.faces = {{0, 0, {}, Quantity(1.0)}};
    EXPECT_THROW(model.update(std::move(of_dirichlet)), std::invalid_argument);
    EXPECT_EQ(answer(model, *solver), after);
  }
}

TEST(UpdatedData, LeaveTheSolverUnchangedIfInvalid) {
  const auto backend = test_backend();
  GridModel model(*backend, problem_on(kinds[0], 12, smooth));
  const auto solver = make_solver(model, {.method = Method::multigrid});
  const Answer before = answer(model, *solver);
  EXPECT_THROW(model.update(with_kappa([](double x, double, double) { return x - 0.5; })), ValueErrors);
  EXPECT_EQ(answer(model, *solver), before);
}

// The new κ has no direct solution. The solver must refuse to solve until the data are valid again.
TEST(UpdatedData, ThatTheMethodDoesNotSupportLeaveNoLevels) {
  const auto backend = test_backend();
  GridModel model(*backend, problem_on(kinds[0], 12, 2.0));
  const auto solver = make_solver(model, {.method = Method::direct});
  const Answer before = answer(model, *solver);
  model.update(with_kappa(smooth));
  EXPECT_THROW(solver->update(), InputError);
  EXPECT_THROW(solver->solve(false), std::logic_error);
  model.update(with_kappa(2.0));
  EXPECT_FALSE(solver->update());
  EXPECT_EQ(answer(model, *solver), before);
}

TEST(UpdatedData, NeedAModelThatOwnsItsDiscretization) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem_on(kinds[0], 12, smooth));
  GridModel model(d);
  EXPECT_THROW(model.update(with_kappa(2.0)), std::logic_error);
}

TEST(UpdatedData, OfAMatrixSolveAsANewSolverDoes) {
  const auto backend = test_backend();
  const auto line = [](double coupling) {
    BandedMatrix m;
    m.shape = {30, 20, 1};
    m.offsets = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    m.entries.assign(5, std::vector<double>(m.points(), 0.0));
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x) {
        const std::size_t at = m.place(x, y, 0);
        m.entries[0][at] = 2.1 + 2 * coupling;
        if (x + 1 < 30) m.entries[1][at] = -1;
        if (x > 0) m.entries[2][at] = -1;
        if (y + 1 < 20) m.entries[3][at] = -coupling;
        if (y > 0) m.entries[4][at] = -coupling;
      }
    measure(m);
    return m;
  };
  const auto solved = [](const MatrixModel& model, Solver& solver) {
    model.fill(solver.rhs(), solver.solution());
    EXPECT_TRUE(solver.solve(false).converged());
    return values(solver.solution());
  };
  BandedMatrix matrix = line(1);
  const MatrixModel model(*backend, matrix, {}, 1.0);
  const auto solver = make_solver(model, {});
  const std::vector<double> before = solved(model, *solver);
  matrix = line(1.5);
  solver->update();
  const std::vector<double> after = solved(model, *solver);
  const MatrixModel fresh(*backend, matrix, {}, 1.0);
  EXPECT_NE(after, before);
  EXPECT_EQ(after, solved(fresh, *make_solver(fresh, {})));
}

}  // namespace
}  // namespace poisson::updated_data_tests
