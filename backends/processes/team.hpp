#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Is a team with a member for each patch of this process. Towards the patches' operators and levels each member is a
/// process: a family of patches thus uses everything that works on the parts of a grid. Members of one process exchange
/// messages in its memory. They run in turn in the thread that calls `run`, each until it waits for a message, so their
/// loops use all cores and all messages to other processes are sent by one thread.
class Team {
 public:
  /// Makes this process's members of a team of `members` on all processes: member m belongs to process
  /// m·processes/members, so each process needs at least one. Throws InputError if a process would have no member.
  Team(std::shared_ptr<const Processes> processes, int members);
  ~Team();
  Team(const Team&) = delete;

  int count() const;
  /// Return the number of members here, and the number of the first one among all members.
  int size() const;
  int first() const;
  /// Returns the processes that a member sees: the members of all processes. `own` counts the members here.
  std::shared_ptr<const Processes> processes(int own) const;
  /// Calls f(own) for all members here, and waits. If one throws, the others end at their next message, and the first
  /// exception is thrown again.
  void run(const std::function<void(int)>& f) const;

 private:
  struct Shared;
  class Member;
  std::shared_ptr<Shared> shared_;
  std::vector<std::shared_ptr<const Processes>> members_;
};

}  // namespace poisson
