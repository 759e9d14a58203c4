#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace poisson {

/// What the kernel shows of a process of this machine (/proc).
struct ProcessState {
  bool exists = false;   ///< and has not ended
  bool stopped = false;  ///< SIGSTOP, a debugger
  bool active = false;   ///< on a core, or waiting for a core or for a disk
  /// Nanoseconds that its threads ran or waited for a core. It grows as long as any thread has something to do.
  std::uint64_t time = 0;
};
ProcessState state_of(std::int64_t number);

enum class Fate { alive, stopped, silent };

/// Judges a process by its states. A process is lost if it stays stopped, or if it does nothing for long. A process
/// that waits for a core is alive, however long it waits.
class SignsOfLife {
 public:
  static constexpr std::chrono::seconds most_stopped{6};
  static constexpr std::chrono::seconds most_silent{60};

  /// `now`: of a clock that stands still while this process itself is stopped.
  Fate judge(const ProcessState& state, std::chrono::milliseconds now);

 private:
  bool seen_ = false;
  std::uint64_t time_ = 0;
  std::chrono::milliseconds active_{0};   ///< when it last did something
  std::chrono::milliseconds running_{0};  ///< when it was last seen not to be stopped
};

/// A process that a launcher has started.
struct LaunchedProcess {
  int rank;
  std::int64_t number;
};
/// The processes of this machine that the launcher of this one has started with it, each rank once, by rank; this one's
/// is not among them. They need not have called MPI yet. Empty if the launcher's variables do not tell.
std::vector<LaunchedProcess> launched_here();

/// How many processes the launcher has started, on all machines, and the rank of this one; 0 where it does not tell.
int launched_count();
int launched_rank();

}  // namespace poisson
