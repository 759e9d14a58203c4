#include "solver/shared_plan.hpp"

#include <algorithm>

namespace poisson {
namespace {

// The share of a level's values, halos included, that the largest part has: what a level holds goes by that.
double largest_share(const Block& part) {
  if (!part.share) return 1;
  const Cuts& cuts = part.share->cuts;
  std::int64_t most = 0;
  for (int p = 0; p < cuts.patches(); ++p) most = std::max(most, cuts.layout(p).allocated(Precision::fp64));
  return static_cast<double>(most) / static_cast<double>(part.whole().layout().allocated(Precision::fp64));
}

// Tables of axes and what else does not go by values.
constexpr std::size_t bytes_beside_values = std::size_t{4} << 20;

std::size_t part(double share, std::size_t bytes) {
  return share == 1 ? bytes : static_cast<std::size_t>(share * static_cast<double>(bytes));
}

}  // namespace

PlanOfProcess plan_of_process(const Plan& plan, const Sharing& sharing) {
  PlanOfProcess own;
  Block block = sharing.part_of(plan.hierarchy.front().block);
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const double share = largest_share(block);
    const std::size_t bytes = part(share, plan.levels[l].bytes);
    own.levels.push_back(bytes);
    own.bytes += bytes;
    if (!block.share)
      own.whole += bytes;
    else
      ++(block.share->processes == sharing.processes ? own.in_parts : own.in_groups);
    if (l == 0) {
      own.setup = part(share, plan.setup);
      own.tables = std::min(plan.tables, bytes_beside_values + part(share, plan.tables));
    }
    const auto& coarser = plan.hierarchy[l].coarser;
    if (!coarser) break;
    block = sharing.below(part_of(*coarser, block).block);
  }
  return own;
}

}  // namespace poisson
