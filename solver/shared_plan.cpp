#include "solver/shared_plan.hpp"

#include <algorithm>

#include "backends/lines/cut_lines.hpp"
#include "backends/spaces/mailbox_layout.hpp"
#include "grids/levels/cut_line_operator.hpp"

namespace poisson {
namespace {

// The share of a level's values, halos included, that the largest part has: what a level holds goes by that.
double largest_share(const Block& part) {
  if (!part.share) return 1;
  const Cuts& cuts = part.share->cuts;
  std::int64_t most = 0;
  for (int p = 0; p < cuts.patches(); ++p) most = std::max(most, cuts.layout(p).allocated(Precision::fp64));
  return static_cast<double>(most) / static_cast<double>(part.global().layout().allocated(Precision::fp64));
}

// Tables of axes and what else does not go by values.
constexpr std::size_t bytes_beside_values = std::size_t{4} << 20;

std::size_t part(double share, std::size_t bytes) {
  return share == 1 ? bytes : static_cast<std::size_t>(share * static_cast<double>(bytes));
}

// Adds the messages between processes on GPUs on these levels. `part` is a process's block of the first level.
void include_levels(MailSizes& mail, const std::vector<LevelPlan>& levels, const Sharing& sharing, Block part) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelPlan& level = levels[l];
    if (!part.share) return;
    const Space space = part.space();
    mail.include(MailSizes::of(space));
    const Relaxation relaxed = level.smoothed();
    for (const int axis : axes_of_cut_lines(part, relaxed)) {
      Layout largest;
      largest.n = space.most_values();
      mail.include(MailSizes::of_parts(cut_lines_message_bytes(largest, level.precision, parts_of(space), axis, true)));
    }
    include_levels(mail, level.planes, sharing, part);
    for (const std::vector<LevelPlan>& list : level.semicoarsened) include_levels(mail, list, sharing, part);
    if (!level.coarser) return;
    const Block below = poisson::part_of(*level.coarser, part).block;
    const Block own = sharing.below(below, !levels[l + 1].coarser);
    if (below.share && !own.share) mail.include(MailSizes::of_gathered(below.space()));
    part = own;
  }
}

// Processes of several machines have none.
std::size_t mailbox_of(const Plan& plan, const Sharing& sharing) {
  const auto [x, y, z] = sharing.parts;
  if (!plan.gpu || sharing.parts == uncut_axes || sharing.groups) return 0;
  MailSizes mail = MailSizes::of_parts(plan.message);
  include_levels(mail, plan.hierarchy, sharing, sharing.part_of(plan.hierarchy.front().block));
  return MailboxLayout(mail, x * y * z, MailPlace::devices).bytes;
}

}  // namespace

PlanOfProcess plan_of_process(const Plan& plan, const Sharing& sharing) {
  PlanOfProcess own;
  own.mailbox = mailbox_of(plan, sharing);
  Block block = sharing.part_of(plan.hierarchy.front().block);
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const double share = largest_share(block);
    const std::size_t in_planes = plan.levels[l].whole_in_planes;
    const std::size_t bytes = part(share, plan.levels[l].bytes - in_planes) + in_planes;
    own.levels.push_back(bytes);
    own.bytes += bytes;
    own.whole += block.share ? in_planes : bytes;
    if (block.share) ++(block.share->processes == sharing.processes ? own.in_parts : own.in_groups);
    if (l == 0) {
      own.setup = part(share, plan.setup);
      own.tables = std::min(plan.tables, bytes_beside_values + part(share, plan.tables));
    }
    const auto& coarser = plan.hierarchy[l].coarser;
    if (!coarser) break;
    block = sharing.below(part_of(*coarser, block).block, !plan.hierarchy[l + 1].coarser);
  }
  return own;
}

}  // namespace poisson
