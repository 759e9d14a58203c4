// These tests compare the plan of each process with its memory use.

#include <cmath>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "backends/memory/round_up.hpp"
#include "backends/spaces/mailbox_layout.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/levels/strong_clusters.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "solver/plan.hpp"
#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace poisson {
namespace {

Problem cube(int cells) {
  Problem p;
  for (auto& axis : p.nodes) axis = uniform_nodes(0, 1, cells);
  return p;
}
Problem varying(Problem p) {
  p.coefficient[0] = Quantity([](double x, double y, double z) { return 1.5 + std::sin(3 * x) * y * z; });
  return p;
}

TEST(SharedPlan, IsThePlanOfOne) {
  const Plan plan = make_plan(cube(32), Options{.method = Method::multigrid}, Assembly::automatic, !on_cpu());
  const PlanOfProcess own = plan_of_process(plan, {});
  EXPECT_EQ(own.bytes, plan.bytes);
  EXPECT_EQ(own.most(), plan.most());
}

/// With Galerkin operators and jumps of κ, GPUs exchange more data for strong clusters than for small levels.
TEST(SharedPlan, HasRoomForWhatIslandsTell) {
  const Sharing sharing{one_process(), {1, 1, 2}};
  const auto mailbox = [&](const Problem& p, CoarseOperator coarse, const std::optional<KappaSummary>& kappa) {
    Options options{.method = Method::multigrid};
    options.coarse_operator = coarse;
    return plan_of_process(make_plan(p, options, Assembly::automatic, true, kappa, sharing), sharing).mailbox;
  };
  KappaSummary smooth, jumping;
  jumping.jumps.largest = 1e3;
  const Problem p = varying(cube(40));
  const std::size_t without = mailbox(p, CoarseOperator::galerkin, smooth);
  const std::size_t with =
      without + 2 * MailboxLayout::slots * round_up(CrossingClusters::bytes_of_message(), std::size_t{256});
  EXPECT_EQ(mailbox(p, CoarseOperator::galerkin, jumping), with);
  EXPECT_EQ(mailbox(p, CoarseOperator::galerkin, {}), with);  // before κ is known
  EXPECT_EQ(mailbox(cube(40), CoarseOperator::galerkin, {}), without);
  EXPECT_EQ(mailbox(p, CoarseOperator::rediscretized, jumping), without);
}

TEST(SharedPlan, SaysWhatEachProcessTakes) {
  Options galerkin{.method = Method::multigrid};
  galerkin.coarse_operator = CoarseOperator::galerkin;
  Problem cells = cube(40), elements = cube(40);
  cells.centering = Centering::cell;
  elements.scheme = Scheme::q1;
  struct Spread {
    Parts parts;
    int machines;
  };
  struct Run {
    std::string name;
    Problem problem;
    Options options{.method = Method::multigrid};
  };
  for (const Run& run : {Run{"nodes", cube(40), {.method = Method::multigrid}},
                         Run{"varying", varying(cube(40)), {.method = Method::multigrid}},
                         Run{"cells", varying(cells), {.method = Method::multigrid}},
                         Run{"elements", varying(elements), {.method = Method::multigrid}},
                         Run{"galerkin", varying(cube(40)), galerkin}})
    for (const auto& [parts, machines] : {Spread{{1, 1, 2}, 1}, Spread{{1, 2, 2}, 1}, Spread{{1, 2, 2}, 2}}) {
      SCOPED_TRACE(run.name + ", " + std::to_string(parts[1] * parts[2]) + " on " + std::to_string(machines));
      std::mutex mutex;
      double peak = 0, planned = 0, most = 0;
      as_processes(parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
        Sharing sharing{processes, parts, 3000};
        if (machines == 2) {  // these share the first coarser level
          sharing.least_shared = 5000;
          sharing.groups = groups_on({0, 0, 1, 1}, processes, parts);
        }
        const auto backend = test_backend();
        Options options = run.options;
        options.tolerance = 0;
        options.max_iterations = 1;
        const Discretization d(*backend, run.problem, Assembly::automatic, Sampling::automatic, sharing);
        const auto solver = make_solver(d, options);
        d.assemble_rhs(solver->rhs());
        d.initialize(solver->solution());
        solver->solve(false);
        const Plan plan = make_plan(run.problem, options, Assembly::automatic, !on_cpu(),
                                    KappaSummary{d.rows().kappa, d.jumps()}, sharing);
        const PlanOfProcess own = plan_of_process(plan, sharing);
        const std::lock_guard lock(mutex);
        peak = std::max(peak, static_cast<double>(backend->memory().peak()));
        planned = static_cast<double>(own.bytes + own.setup);
        most = static_cast<double>(own.most());
        EXPECT_EQ(own.levels.size(), plan.levels.size());
        EXPECT_EQ(own.in_groups, machines - 1);
        // Each share is smaller than the total, but with the replicated data the shares exceed it.
        EXPECT_LT(own.bytes, plan.bytes);
        EXPECT_GT(own.bytes * static_cast<std::size_t>(processes->count()), plan.bytes);
      });
      EXPECT_GE(peak, planned);
      EXPECT_LE(peak, most);
    }
}

}  // namespace
}  // namespace poisson
