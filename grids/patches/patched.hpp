#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/processes/team.hpp"
#include "grids/operators/operator.hpp"

/// Makes operators and transfers of a space of several patches from those of each patch. A patch's operator is that of
/// a part of a grid, whose processes are the members of a team. Verbs call it for all patches at once, so results have
/// the bits of as many processes.
namespace poisson {

/// Contains the patches of this process: a team with a member for each, and the members' backends, which access the
/// same memory. The first member has the backend of the fields. On a GPU each of the others has a stream of its own;
/// members exchange messages through the host, and verbs are launched one by one.
class PatchTeam {
 public:
  /// On a GPU, verbs of `backend` are no longer recorded (Backend::run_immediately).
  PatchTeam(Backend& backend, const std::shared_ptr<const Processes>& processes, int patches);

  int size() const { return team_.size(); }
  const std::shared_ptr<const Processes>& processes() const { return processes_; }
  const Team& team() const { return team_; }
  Backend& backend(int member = 0) const { return *backends_[static_cast<std::size_t>(member)]; }
  /// Calls f(member) for all members at once, after the verbs of the first backend. Verbs that follow wait for theirs.
  void run(const std::function<void(int)>& f) const;

 private:
  std::shared_ptr<const Processes> processes_;
  Team team_;
  std::vector<std::unique_ptr<Backend>> own_;  // of the members after the first
  std::vector<Backend*> backends_;
  std::vector<Scalar> marks_;  // a member's work is done when its scalar is read
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
