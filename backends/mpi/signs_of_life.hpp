#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace poisson {

/// The process that reports why a run ends has this time before the others end.
inline constexpr std::chrono::milliseconds time_to_report{300};

/// Stores the kernel's report on a process of this machine (/proc).
struct ProcessState {
  bool exists = false;   ///< it has not ended
  bool stopped = false;  ///< SIGSTOP, a debugger
  bool active = false;   ///< on a core, or waiting for a core or a disk
  /// Nanoseconds that its threads ran or waited for a core. The number grows as long as any thread has work.
  std::uint64_t time = 0;
};
ProcessState state_of(std::int64_t number);

enum class Fate { alive, stopped, silent };

/// Judges a process by its states. A process is lost if it stays stopped, or if it is idle for a long time. A process
/// that waits for a core is alive, however long it waits.
class SignsOfLife {
 public:
  static constexpr std::chrono::seconds most_stopped{6};
  static constexpr std::chrono::seconds most_silent{60};

  /// `now` is the time of a clock that stops while this process itself is stopped.
  Fate judge(const ProcessState& state, std::chrono::milliseconds now);

 private:
  bool seen_ = false;
  std::uint64_t time_ = 0;
  std::chrono::milliseconds active_{0};   ///< last activity
  std::chrono::milliseconds running_{0};  ///< last time it was not stopped
};

/// Identifies a process that a launcher started.
struct LaunchedProcess {
  int rank;
  std::int64_t number;
};
/// Returns the processes of this machine that the launcher of this process started with it, each rank once, in order of
/// rank. This process is not included. The others need not have called MPI yet. Empty if the launcher's variables do
/// not identify them.
std::vector<LaunchedProcess> launched_here();

/// Return the number of processes that the launcher started on all machines, and the rank of this one; 0 if unknown.
int launched_count();
int launched_rank();

}  // namespace poisson
