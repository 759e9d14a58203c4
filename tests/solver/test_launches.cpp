// A launch costs as much time as the work on thousands of values. The launches of an iteration are therefore bounded by
// its verbs on large levels, for every kind of problem.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "solver/plan.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::launches_tests {
namespace {

constexpr std::int64_t small_level = 1024;  ///< levels up to this size can share launches
constexpr int shared_launches = 3;

struct Case {
  std::string name;
  Problem problem;
  Options options{.method = Method::multigrid};
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};

Problem box(int dimension) {
  Problem p;
  p.dimension = dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    p.nodes[d] = uniform_nodes(0, 1, dimension == 3 ? 64 : 129);
  p.source = 1.0;
  return p;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int dimension : {2, 3}) {
    Options options{.method = Method::multigrid};
    choose(options.smoother, "chebyshev");
    options.krylov = Krylov::none;
    Options coarse = options;
    coarse.coarse_operator = CoarseOperator::galerkin;
    coarse.krylov = Krylov::cg;
    Problem nodes = box(dimension), cells = nodes, elements = nodes, jump = nodes, stretched = nodes;
    cells.centering = Centering::cell;
    elements.scheme = Scheme::q1;
    // κ jumps only between faces, so that strong clusters, whose corrections are not verbs, do not occur.
    jump.coefficient[0] = [](double x, double, double) { return x < 0.3 ? 1e6 : 1.0; };
    const int n = dimension == 3 ? 64 : 129;
    stretched.nodes[1] = geometric_nodes(0, 1, n, geometric_ratio(1e3, n, StretchedEnd::lower), StretchedEnd::lower);
    const std::string suffix = dimension == 3 ? "_3d" : "_2d";
    all.push_back({"nodes" + suffix, nodes, options});
    all.push_back({"cells" + suffix, cells, options});
    all.push_back({"elements" + suffix, elements, options});
    all.push_back({"galerkin" + suffix, jump, coarse});
    // κ on cells, on faces and in elements has different models, whose verbs must be in the list of shared launches.
    for (auto [kind, problem] : {std::pair{"nodes", nodes}, {"cells", cells}, {"elements", elements}}) {
      problem.coefficient[0] = [](double x, double y, double z) { return 1.5 + std::sin(x + 2 * y - z); };
      all.push_back({kind + std::string("_varying") + suffix, problem, options});
    }
    choose(options.smoother, "auto");
    all.push_back({"lines" + suffix, stretched, options});
  }
  return all;
}

/// Counts calls of a verb on a level.
using Calls = std::map<std::pair<std::string_view, int>, std::int64_t>;

Calls calls(const Case& c, int iterations) {
  const auto backend = test_backend();
  const Discretization d(*backend, c.problem);
  Profile profile(*backend);
  Options options = c.options;
  options.tolerance = 0;
  options.max_iterations = iterations;
  const auto solver = make_solver(d, options, &profile);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  profile.clear();
  EXPECT_EQ(solver->solve(false).iterations, iterations);
  Calls all;
  for (const Profile::Entry& e : profile.take()) all[{e.verb, e.level}] = e.calls;
  return all;
}

/// Returns the calls of one iteration.
Calls calls_of_iteration(const Case& c) {
  Calls all = calls(c, 2);
  for (const auto& [verb, times] : calls(c, 1)) all[verb] -= times;
  return all;
}

/// Returns the kernels of a verb on a large level without periodic axes.
int kernels_of(std::string_view verb) {
  if (verb == "dot" || verb == "norm" || verb == "residual + norm") return 2;  // partial sums and their total
  if (verb == "line step" || verb == "line step 0") return 2;                  // residual and lines
  return 1;
}

std::vector<std::int64_t> values_of_levels(const Case& c, const Discretization& d) {
  const KappaSummary kappa{d.rows().kappa, d.jumps()};
  const Plan plan = make_plan(c.problem, resolve_options(c.options, c.problem, kappa), d.assembly(), true, kappa);
  const int more = c.problem.centering == Centering::node ? 1 : 0;
  std::vector<std::int64_t> values;
  for (const Plan::Level& level : plan.levels) {
    values.push_back(1);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(c.problem.dimension); ++axis)
      values.back() *= level.cells[axis] + more;
  }
  return values;
}

class Launches : public testing::TestWithParam<Case> {};

TEST_P(Launches, OfSmallLevelsAreShared) {
  if (on_cpu()) GTEST_SKIP() << "nothing is launched";
  const Case& c = GetParam();
  const auto backend = test_backend();
  const Discretization d(*backend, c.problem);
  const auto solver = make_solver(d, c.options);
  solver->prepare(false);
  const std::size_t found = solver->kernels_per_iteration();
  if (found == 0) GTEST_SKIP() << "the driver is too old to record an iteration";

  const std::vector<std::int64_t> values = values_of_levels(c, d);
  ASSERT_LE(values.back(), small_level) << "no level is small";
  // Scalar kernels are scales, quotients, the monitor and its branch.
  std::size_t bound = shared_launches + (c.options.krylov == Krylov::cg ? 6 : 4);
  for (const auto& [verb, times] : calls_of_iteration(c))
    if (values.at(static_cast<std::size_t>(verb.second)) > small_level)
      bound += static_cast<std::size_t>(times * kernels_of(verb.first));
  EXPECT_LE(found, bound);
  EXPECT_GE(found, 6) << "an iteration smooths, restricts, prolongs and takes a residual";
  std::printf("%s: %zu kernels an iteration, at most %zu\n", c.name.c_str(), found, bound);
}

INSTANTIATE_TEST_SUITE_P(All, Launches, testing::ValuesIn(cases()), [](const auto& test) { return test.param.name; });

TEST(Prepare, ChangesNothingInTheAnswer) {
  for (const bool given : {false, true})
    for (const Krylov krylov : {Krylov::none, Krylov::cg})
      for (const bool singular : {false, true}) {
        SCOPED_TRACE(given);
        Problem problem = box(2);
        if (singular)
          for (auto& axis : problem.boundary)
            for (Boundary& face : axis) face.kind = BoundaryKind::neumann;
        problem.source = [](double x, double y, double) { return x < 0.3 ? 1.0 : y - 0.5; };
        if (given) problem.initial = [](double x, double y, double) { return x * (1 - x) * y; };
        Options options{.method = Method::multigrid};
        options.krylov = krylov;
        Solve plain(problem, options), prepared(problem, options);
        const Result expected = plain.run(given);
        prepared.solver().prepare(given);
        prepared.solver().prepare(given);
        for (int turn = 0; turn < 2; ++turn) {
          SCOPED_TRACE(turn);
          if (turn == 1) prepared.reset();
          const Result result = prepared.run(given);
          EXPECT_TRUE(result.converged());
          EXPECT_EQ(result.history, expected.history);
          EXPECT_EQ(result.estimated_error, expected.estimated_error);
          EXPECT_EQ(values(prepared.solution()), values(plain.solution()));
        }
      }
}

}  // namespace
}  // namespace poisson::launches_tests
