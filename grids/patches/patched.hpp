#pragma once

#include <memory>
#include <vector>

#include "backends/processes/team.hpp"
#include "grids/operators/operator.hpp"

/// Makes operators and transfers of a space of several patches from those of each patch. A patch's operator is that of
/// a part of a grid, whose processes are the members of a team. Verbs call it for all patches at once, so results have
/// the bits of as many processes.
namespace poisson {

/// Contains the patches of this process: a team with a member for each, and the members' backends, which access the
/// same memory as `backend`. Today that is a CPU.
struct PatchTeam {
  PatchTeam(Backend& backend, const std::shared_ptr<const Processes>& processes, int patches);

  Backend& backend;
  std::shared_ptr<const Processes> processes;
  Team team;
  std::vector<std::unique_ptr<Backend>> backends;  ///< of the members
};

/// Returns the space of all patches of a level, given the space of one of them as a part of a grid.
Space space_of_patches(const Space& part, const std::shared_ptr<const Processes>& processes);

/// Returns the operator whose patches have these operators, by member.
std::unique_ptr<Operator> make_patched_operator(std::shared_ptr<const PatchTeam> team,
                                                std::vector<std::shared_ptr<const Operator>> parts);

/// Returns the hierarchy whose patches have these hierarchies, by member. Levels that every member has entirely become
/// levels of one patch. Throws InputError if a level relaxes planes or has further parts, which patches do not support.
Hierarchy make_patched_hierarchy(const std::shared_ptr<const PatchTeam>& team, std::vector<Hierarchy> parts);

}  // namespace poisson
