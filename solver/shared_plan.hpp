#pragma once

#include <vector>

#include "grids/levels/sharing.hpp"
#include "solver/plan.hpp"

namespace poisson {

/// Describes the share of a plan on the process that stores most: its blocks of the distributed levels, the levels of
/// its group, and the replicated levels.
struct PlanOfProcess {
  std::vector<std::size_t> levels;  ///< per level, finest first
  int in_parts = 0, in_groups = 0;  ///< levels shared by all processes, then by groups
  std::size_t bytes = 0;            ///< all levels
  std::size_t whole = 0;            ///< replicated levels
  std::size_t setup = 0;            ///< extra bytes during set-up, as in the plan
  std::size_t tables = 0;           ///< upper bound of extra bytes, as in the plan
  /// Extra bytes for the exchange buffers that other GPUs write on this one (mailbox_layout.hpp): the maximum over all
  /// transports.
  std::size_t mailbox = 0;

  std::size_t most() const { return bytes + setup + tables + mailbox; }
};

/// Returns the share of the process that stores most; for one process it equals the plan's own bytes.
PlanOfProcess plan_of_process(const Plan& plan, const Sharing& sharing);

}  // namespace poisson
