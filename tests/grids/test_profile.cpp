// A profile must record every verb of a solve, count its traffic, and not change the result.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::profile_tests {
namespace {

constexpr int cells = 32;

Problem smooth_source() {
  Problem p;
  for (auto& nodes : p.nodes)
    for (int i = 0; i <= cells; ++i) nodes.push_back(static_cast<double>(i) / cells);
  p.source = [](double x, double y, double z) { return 1 + x * (1 - y) * z; };
  return p;
}

struct Profiled {
  Result result;
  std::vector<double> solution;
  std::vector<Profile::Entry> entries;

  std::size_t levels() const {
    std::set<int> all;
    for (const Profile::Entry& e : entries) all.insert(e.level);
    return all.size();
  }
  const Profile::Entry* find(std::string_view verb, int level) const {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.verb == verb && e.level == level; });
    return found == entries.end() ? nullptr : &*found;
  }
};

Profiled profiled_solve(const Problem& problem, const Options& options) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem);
  Profile profile(*backend);
  const auto solver = make_solver(d, options, &profile);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  profile.clear();
  Profiled p;
  p.result = solver->solve(false);
  p.entries = profile.take();
  p.solution = values(solver->solution());
  EXPECT_TRUE(profile.take().empty());
  return p;
}

Options with(Krylov krylov, SolvePrecision precision) {
  Options options{.method = Method::multigrid};
  options.krylov = krylov;
  options.precision = precision;
  return options;
}

TEST(Profile, DoesNotChangeTheResult) {
  for (const Krylov krylov : {Krylov::none, Krylov::cg})
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single}) {
      Options options = with(krylov, precision);
      if (precision == SolvePrecision::single) options.tolerance = 1e-4;
      Solve plain(smooth_source(), options);
      const Result expected = plain.run();
      const Profiled p = profiled_solve(smooth_source(), options);
      EXPECT_EQ(p.result.iterations, expected.iterations);
      EXPECT_EQ(p.result.history, expected.history);
      EXPECT_EQ(p.solution, values(plain.solution()));
    }
}

TEST(Profile, CountsCallsAndTraffic) {
  const Profiled p = profiled_solve(smooth_source(), with(Krylov::none, SolvePrecision::mixed));
  constexpr std::int64_t n = cells - 1, unknowns = n * n * n, all = (n + 2) * (n + 2) * (n + 2);
  const Profile::Entry* axpy = p.find("axpy", 0);
  ASSERT_TRUE(axpy);
  EXPECT_EQ(axpy->calls, p.result.iterations);
  EXPECT_EQ(axpy->bytes, static_cast<double>(axpy->calls * all * (4 + 8 + 8)));  // from fp32 to fp64
  const Profile::Entry* residual = p.find("residual + norm", 0);
  ASSERT_TRUE(residual);
  EXPECT_EQ(residual->calls, p.result.iterations + 2);
  EXPECT_NEAR(residual->bytes, static_cast<double>(residual->calls * unknowns * (8 + 8 + 4)), 0.05 * residual->bytes);
  const Profile::Entry* restriction = p.find("restrict", 1);
  ASSERT_TRUE(restriction);
  EXPECT_EQ(restriction->bytes, static_cast<double>(restriction->calls * 4 * (15 * 15 * 15 + 7 * 7 * 7)));
  for (const Profile::Entry& e : p.entries) {
    EXPECT_GT(e.calls, 0) << e.verb;
    EXPECT_GT(e.seconds, 0) << e.verb;
  }
}

TEST(Profile, CountsTheArraysOfAVaryingCoefficient) {
  Problem problem = smooth_source();
  problem.coefficient[0] = [](double x, double y, double) { return 1 + x * y; };
  const Profiled p = profiled_solve(problem, with(Krylov::none, SolvePrecision::double_));
  const Profile::Entry* residual = p.find("residual + norm", 0);
  ASSERT_TRUE(residual);
  constexpr double n = cells - 1, least = n * n * n * 24 + double{cells} * cells * cells * 8;
  EXPECT_GE(residual->bytes / static_cast<double>(residual->calls), least);
  EXPECT_LE(residual->bytes / static_cast<double>(residual->calls), 1.2 * least);  // halos and padding of κ
}

/// The test counts the visits of every level by one W-cycle. They double if all axes are coarsened; if one of two axes
/// is coarsened, they double on every other level.
TEST(WCycle, KeepsItsWorkInProportion) {
  const auto visits = [](double height) {
    Problem problem = smooth_source();
    problem.dimension = 2;
    problem.nodes[2] = {};
    for (double& y : problem.nodes[1]) y *= height;
    Options options = with(Krylov::none, SolvePrecision::double_);
    options.full_multigrid = false;
    options.tolerance = 0;
    options.max_iterations = 1;
    options.cycle = Cycle::w;
    choose(options.smoother, "chebyshev");
    const Profiled p = profiled_solve(problem, options);
    std::vector<std::int64_t> all;
    for (int level = 0;; ++level) {
      const Profile::Entry* const restriction = p.find("restrict", level);
      if (!restriction) return all;
      all.push_back(restriction->calls);
    }
  };
  EXPECT_EQ(visits(1), (std::vector<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(visits(1e-3), (std::vector<std::int64_t>{1, 1, 2, 2, 4, 4, 8, 8}));
}

/// Planes have separate levels. A profile must not change the result and must assign a level to every verb in planes.
TEST(Profile, SeesTheLevelsOfPlanes) {
  Options options = with(Krylov::none, SolvePrecision::double_);
  choose(options.smoother, "plane");
  options.tolerance = 1e-6;
  Problem problem = smooth_source();
  for (auto& nodes : problem.nodes) nodes = uniform_nodes(0, 1, 16);
  Solve plain(problem, options);
  const Result expected = plain.run();
  const Profiled p = profiled_solve(problem, options);
  EXPECT_EQ(p.result.history, expected.history);
  EXPECT_EQ(p.solution, values(plain.solution()));

  int last = 0;
  for (const Profile::Entry& e : p.entries) {
    last = std::max(last, e.level);
    EXPECT_GT(e.calls, 0) << e.verb << " on level " << e.level;
    EXPECT_GT(e.bytes, 0) << e.verb << " on level " << e.level;
  }
  EXPECT_EQ(p.levels(), static_cast<std::size_t>(last) + 1) << "levels without a verb";
  // Cubes are coarsened along all axes together, planes along their two axes.
  EXPECT_GT(p.levels(), profiled_solve(problem, with(Krylov::none, SolvePrecision::double_)).levels());
  const Profile::Entry* const finest = p.find("residual + norm", 0);
  ASSERT_TRUE(finest);
  EXPECT_EQ(finest->calls, p.result.iterations + 2);
}

TEST(Profile, TimesMoreVerbsThanItsBufferStores) {
  Options options;
  options.method = Method::jacobi;
  options.tolerance = 0;
  options.max_iterations = 1000;
  options.precision = SolvePrecision::double_;
  Problem problem = smooth_source();
  for (auto& nodes : problem.nodes) nodes = {0, 0.25, 0.5, 0.75, 1};
  const Profiled p = profiled_solve(problem, options);
  std::int64_t sweeps = 0;
  for (const auto& [verb, each] : {std::pair{"jacobi pass", 4}, {"polynomial step 0", 1}})
    if (const Profile::Entry* entry = p.find(verb, 0)) sweeps += each * entry->calls;
  EXPECT_GE(sweeps, 24'000);
}

TEST(Profile, DistinguishesLinesFromPoints) {
  for (const char* smoother : {"line", "chebyshev"}) {
    Options options = with(Krylov::none, SolvePrecision::double_);
    choose(options.smoother, smoother);
    const Profiled p = profiled_solve(smooth_source(), options);
    const bool lines = smoother == std::string_view("line");
    EXPECT_EQ(p.find("line step", 0) != nullptr, lines);
    EXPECT_EQ(p.find("polynomial step", 0) != nullptr, !lines);
  }
}

/// With a profile, the data of a singular problem must be projected as without one.
TEST(Profile, SeesTheProjectionOfADirectSolution) {
  Options options;
  options.method = Method::direct;
  Problem problem = smooth_source();
  for (auto& axis : problem.boundary) axis = {Boundary{BoundaryKind::neumann}, Boundary{BoundaryKind::neumann}};
  const Profiled p = profiled_solve(problem, options);
  const Profile::Entry* const projection = p.find("project rhs", 0);
  ASSERT_NE(projection, nullptr);
  EXPECT_EQ(projection->calls, 1);
}

class Names final : public VerbLog {
 public:
  void start(std::string_view verb, const Space&, double bytes) override {
    names_ += std::string(verb) + " " + std::to_string(static_cast<int>(bytes)) + ", ";
  }
  void stop() override { names_ += "end, "; }
  std::string take() { return std::exchange(names_, {}); }

 private:
  std::string names_;
};

/// A verb that consists of others, as x − a·y does on the CPU, is reported once. Without a log nothing is reported.
TEST(VerbLog, ReceivesAVerbAndNotItsParts) {
  const auto backend = test_backend();
  Field x(*backend, Layout{{4, 3, 2}, {}}, Precision::fp64), y(*backend, x.layout(), Precision::fp32);
  Names log;
  backend->report_to(&log);
  backend->subtract(x, backend->scalar(2), y, x);
  EXPECT_EQ(log.take(), "subtract 480, end, ");
  backend->fill(y, 1);
  EXPECT_EQ(log.take(), "fill 96, end, ");
  backend->report_to(nullptr);
  backend->fill(y, 2);
  EXPECT_EQ(log.take(), "");
}

}  // namespace
}  // namespace poisson::profile_tests
