#pragma once

#include <vector>

#include "grids/levels/sharing.hpp"
#include "solver/plan.hpp"

namespace poisson {

/// What of a plan the process holds that has most: its part of the levels that processes share, that of its group, and
/// all of the levels that every process has.
struct PlanOfProcess {
  std::vector<std::size_t> levels;  ///< bytes of each, finest first
  int in_parts = 0, in_groups = 0;  ///< so many levels are shared by all, and then so many by groups
  std::size_t bytes = 0;            ///< of all of them
  std::size_t whole = 0;            ///< of those that every process has
  std::size_t setup = 0;            ///< so many bytes more for a moment of set-up, as in the plan
  std::size_t tables = 0;           ///< at most so many bytes more, as in the plan
  /// So many bytes more where what other GPUs send lies on this one (mailbox_layout.hpp): at the most of all
  /// transports.
  std::size_t mailbox = 0;

  std::size_t most() const { return bytes + setup + tables + mailbox; }
};

/// The plan's own bytes where there is one process.
PlanOfProcess plan_of_process(const Plan& plan, const Sharing& sharing);

}  // namespace poisson
