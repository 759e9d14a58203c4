// The plan of a solve on patches must count what set-up and solve allocate, to 1 %.

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "solver/patched_model.hpp"
#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace poisson::patched_plan_tests {
namespace {

struct Case {
  Scheme scheme;
  Centering centering;
  bool varying, turned;
};

Problem problem_of(const Case& c) {
  Problem p;
  p.scheme = c.scheme;
  p.centering = c.centering;
  const int more = c.centering == Centering::cell ? 0 : 1;
  p.nodes = {uniform_nodes(0, 1, 60 - more), uniform_nodes(0, 1, 48 - more), uniform_nodes(0, 2, 96 - more)};
  p.source = 1.0;
  if (c.varying) p.coefficient[0] = [](double x, double y, double z) { return 1.5 + std::sin(3 * x) * y * z / 2; };
  return p;
}

std::vector<Orientation> turns_of(const Case& c, int patches) {
  std::vector<Orientation> turns;
  std::mt19937 random(7);
  for (int p = 0; c.turned && p < patches; ++p)
    turns.push_back(Orientation::number(static_cast<int>(random() % Orientation::count)));
  return turns;
}

// Compares the plan with the allocations of the process that has most.
void expect_planned(const Case& c, const Options& options, const PatchedModel::Widths& widths, int patches,
                    const std::shared_ptr<const Processes>& processes) {
  const auto backend = test_backend();
  const PatchedModel model(*backend, problem_of(c), widths, processes, turns_of(c, patches));
  Plan plan = model.plan(options);
  model.count_bytes(plan);
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  solver->solve(false);
  const double peak = processes->largest(static_cast<double>(backend->memory().peak()));
  const double most = static_cast<double>(plan.most()), tolerance = on_cpu() ? 0.01 : 0.03;
  EXPECT_GE(most, (1 - tolerance) * peak);
  EXPECT_LE(most, (1 + tolerance) * peak + (on_cpu() ? 0 : 2 * static_cast<double>(Plan::allowance)));
  std::size_t sum = 0;
  for (const Plan::Level& level : plan.levels) sum += level.bytes;
  EXPECT_EQ(sum, plan.bytes);
  EXPECT_EQ(plan.levels.size(), static_cast<std::size_t>(solver->levels()));
}

TEST(PatchedPlan, CountsWhatPatchesAllocate) {
  const PatchedModel::Widths slabs{{{}, {}, {17, 40, 39}}}, blocks{{{25, 35}, {16, 16, 16}, {48, 48}}};
  for (const Case& c : {Case{Scheme::fv, Centering::node, false, false}, Case{Scheme::fv, Centering::node, true, false},
                        Case{Scheme::fv, Centering::cell, true, false}, Case{Scheme::q1, Centering::node, true, false},
                        Case{Scheme::fv, Centering::node, true, true}})
    for (const Method method : {Method::multigrid, Method::cg})
      for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single})
        for (const bool full : {false, true}) {
          if (method == Method::cg && (full || precision == SolvePrecision::single)) continue;
          SCOPED_TRACE(testing::Message() << "scheme " << static_cast<int>(c.scheme) << ", cells "
                                          << (c.centering == Centering::cell) << ", varying " << c.varying
                                          << ", turned " << c.turned << ", method " << static_cast<int>(method)
                                          << ", precision " << static_cast<int>(precision) << ", full " << full);
          Options options{.method = method};
          options.fallback = Fallback::never;
          options.precision = precision;
          options.full_multigrid = full;
          options.tolerance = 0;
          options.max_iterations = 1;
          expect_planned(c, options, blocks, 12, one_process());
          if (!c.turned && full) expect_planned(c, options, slabs, 3, one_process());
        }
}

TEST(PatchedPlan, CountsTheLargestPart) {
  for (const int count : {2, 3})
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      Options options{.method = Method::multigrid};
      options.fallback = Fallback::never;
      options.tolerance = 0;
      options.max_iterations = 1;
      expect_planned({Scheme::fv, Centering::node, true, false}, options, {{{}, {16, 16, 16}, {17, 40, 39}}}, 9,
                     processes);
    });
}

}  // namespace
}  // namespace poisson::patched_plan_tests
