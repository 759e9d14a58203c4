// The plan of one of several processes: its levels in groups, and its exchange buffers.

#include <algorithm>
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
#include "tests/device.hpp"
#include "tests/measured_memory.hpp"
#include "tests/processes.hpp"

namespace poisson::shared_plan_tests {
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

/// With Galerkin operators and κ that jumps from cell to cell, GPUs exchange more data for strong clusters than for
/// small levels.
TEST(SharedPlan, HasBuffersForStrongClusters) {
  const Sharing sharing{one_process(), {1, 1, 2}};
  const auto mailbox = [&](const Problem& p, CoarseOperator coarse, const std::optional<KappaSummary>& kappa) {
    Options options{.method = Method::multigrid};
    options.coarse_operator = coarse;
    return make_plan(p, options, Assembly::automatic, true, kappa, sharing).mailbox;
  };
  KappaSummary smooth, jumping;
  jumping.jumps.largest = 1e3;
  jumping.jumps.share = 0.2;
  const Problem p = varying(cube(40));
  const std::size_t without = mailbox(p, CoarseOperator::galerkin, smooth);
  const std::size_t with = mailbox(p, CoarseOperator::galerkin, jumping);
  EXPECT_GT(with, without);
  EXPECT_GE(with, 2 * MailboxLayout::slots * round_up(CrossingClusters::bytes_of_message(), std::size_t{256}));
  EXPECT_EQ(mailbox(cube(40), CoarseOperator::galerkin, {}), without);
  EXPECT_EQ(mailbox(p, CoarseOperator::rediscretized, jumping), without);
}

/// Groups of processes on the same machine share the first coarser level.
TEST(SharedPlan, CountsLevelsOfGroups) {
  Options galerkin{.method = Method::multigrid};
  galerkin.coarse_operator = CoarseOperator::galerkin;
  Problem cells = cube(40), elements = cube(40);
  cells.centering = Centering::cell;
  elements.scheme = Scheme::q1;
  struct Run {
    std::string name;
    Problem problem;
    Options options{.method = Method::multigrid};
  };
  for (const Run& run : {Run{"nodes", cube(40)}, Run{"varying", varying(cube(40))}, Run{"cells", varying(cells)},
                         Run{"elements", varying(elements)}, Run{"galerkin", varying(cube(40)), galerkin}}) {
    SCOPED_TRACE(run.name);
    const Parts parts{1, 2, 2};
    std::mutex mutex;
    double peak = 0, most = 0;
    as_processes(4, [&](const std::shared_ptr<const Processes>& processes) {
      Sharing sharing{processes, parts, 5000};
      sharing.groups = groups_on({0, 0, 1, 1}, processes, parts);
      const auto [own_peak, kappa, plan] = measure_memory(run.problem, run.options, sharing);
      const Plan whole = make_plan(run.problem, run.options, Assembly::automatic, !on_cpu(), kappa);
      const std::lock_guard lock(mutex);
      peak = std::max(peak, own_peak);
      most = static_cast<double>(plan.most());
      EXPECT_EQ(plan.in_groups, 1);
      EXPECT_GT(plan.whole, 0U);
      // Each share is smaller than the whole, but with the replicated data the shares exceed it.
      EXPECT_LT(plan.bytes, whole.bytes);
      EXPECT_GT(plan.bytes * static_cast<std::size_t>(processes->count()), whole.bytes);
    });
    EXPECT_GE(most, 0.99 * peak);
    EXPECT_LE(most - (on_cpu() ? 0 : static_cast<double>(Plan::allowance)), 1.01 * peak);
  }
}

}  // namespace
}  // namespace poisson::shared_plan_tests
