#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "backends/mpi/mpi_processes.hpp"
#include "backends/mpi/signs_of_life.hpp"
#include "backends/processes/machine.hpp"

namespace poisson {

/// Lists processes that MPI waits for while it starts or ends.
struct Awaited {
  std::vector<LostProcess> here;  ///< known ones on this machine
  bool all = false;               ///< there are no others
};

/// Limits the start and the end of MPI, where MPI waits forever for processes that never arrive; this class ends the
/// run instead. A process that this one can see is awaited as long as it lives. Others are awaited as long as a process
/// may be silent.
class WaitLimit {
 public:
  /// `awaited` is called every second, `lost` at most once, with the processes that are stopped or silent. `lost`
  /// gets an empty list if they are not known.
  WaitLimit(int rank, std::function<Awaited()> awaited, std::function<void(std::span<const LostProcess>)> lost)
      : rank_(rank), awaited_(std::move(awaited)), lost_(std::move(lost)), thread_([this] { watch(); }) {}
  ~WaitLimit() {
    {
      const std::lock_guard lock(mutex_);
      passed_ = true;
    }
    passes_.notify_all();
    thread_.join();
  }
  WaitLimit(const WaitLimit&) = delete;

 private:
  static constexpr std::chrono::milliseconds tick{100}, look{1000}, longest = std::chrono::minutes(30);

  // Counts ticks, so that the time during which this process itself is stopped does not count.
  void watch() {
    std::unique_lock lock(mutex_);
    for (std::chrono::milliseconds now = tick; now < longest; now += tick) {
      if (passes_.wait_for(lock, tick, [&] { return passed_; })) return;
      if (now % look == std::chrono::milliseconds(0) && ends(now)) end();
    }
    lost_({});
    end();
  }

  // MPI cannot be called here; the launcher ends the other processes.
  [[noreturn]] static void end() { std::_Exit(1); }

  // Returns whether the run ends now; if so, the reason has been reported. Lower ranks come first, so that only one
  // process reports.
  bool ends(std::chrono::milliseconds now) {
    const Awaited awaited = awaited_();
    std::vector<LostProcess> gone;
    int first = rank_, speaker = rank_;
    for (const LostProcess& process : awaited.here) {
      first = std::min(first, process.rank);
      if (signs_[process.rank].judge(state_of(process.number), now) != Fate::alive)
        gone.push_back(process);
      else
        speaker = std::min(speaker, process.rank);
    }
    if (!gone.empty()) {
      // The machine of rank 0 reports first.
      if (first > 0 && waited_ < std::chrono::seconds(2)) return waited_ += look, false;
      if (speaker == rank_)
        speak(gone);
      else
        std::this_thread::sleep_for(time_to_report);
      return true;
    }
    // A launcher that waits for a core may not have started all processes yet, or may not have noticed that one has
    // ended.
    if ((awaited.all && !awaited.here.empty()) || state_of(getppid()).active) return false;
    unseen_ += look;
    if (unseen_ < SignsOfLife::most_silent + std::chrono::seconds(std::min(rank_, 3))) return false;
    return lost_({}), true;
  }

  // Calls `lost`, then waits until the other live processes have ended. Otherwise a process that judges later would
  // find that this one has ended, and would call `lost` again.
  void speak(std::span<const LostProcess> gone) const {
    lost_(gone);
    const auto others_live = [&] {
      for (const LostProcess& process : awaited_().here)
        if (std::ranges::find(gone, process.rank, &LostProcess::rank) == gone.end() && state_of(process.number).exists)
          return true;
      return false;
    };
    for (auto waited = tick; waited < SignsOfLife::most_stopped && others_live(); waited += tick)
      std::this_thread::sleep_for(tick);
  }

  int rank_;
  std::function<Awaited()> awaited_;
  std::function<void(std::span<const LostProcess>)> lost_;
  std::map<int, SignsOfLife> signs_;
  std::chrono::milliseconds unseen_{0}, waited_{0};
  std::mutex mutex_;
  std::condition_variable passes_;
  bool passed_ = false;
  std::thread thread_;
};

/// Returns the processes that the launcher started on this machine. It searches until all are found.
inline std::function<Awaited()> awaited_at_start() {
  return [count = launched_count(), found = Awaited()]() mutable {
    if (found.all) return found;
    found.here.clear();
    for (const LaunchedProcess& process : launched_here())
      found.here.push_back({process.rank, machine_name(), process.number, false});
    found.all = static_cast<int>(found.here.size()) + 1 == count;
    return found;
  };
}
/// `neighbours`: other processes of this machine, which may end before this one; `count`: number of all processes.
inline std::function<Awaited()> awaited_at_end(const std::vector<LostProcess>& neighbours, int count) {
  return [=] {
    Awaited awaited{{}, static_cast<int>(neighbours.size()) + 1 == count};
    for (const LostProcess& process : neighbours)
      if (state_of(process.number).exists) awaited.here.push_back(process);
    return awaited;
  };
}

}  // namespace poisson
