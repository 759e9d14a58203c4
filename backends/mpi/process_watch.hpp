#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace poisson {

/// Identifies a process and its machine. Process ids are meaningful only within one process table; containers of one
/// machine have separate tables.
struct ProcessPlace {
  std::array<char, 64> host{};
  std::uint64_t table = 0;  ///< identifies the kernel and the namespace of process ids; 0: unknown
  std::int64_t number = 0;

  static ProcessPlace own();
};

/// Watches the processes of this machine: the kernel reports immediately when one of them has ended, even if it is
/// still a zombie. Processes on other machines and in other containers cannot be seen and seem to continue.
class ProcessWatch {
 public:
  /// `places` are the places of all processes, including this one.
  ProcessWatch(const std::vector<ProcessPlace>& places, int own);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;

  /// Waits for `time`, until another process ends, or until `wake` is called.
  void wait(std::chrono::milliseconds time);
  /// Ends the current or the next wait; called from another thread.
  void wake() const;

  bool sees(int process) const { return watched_[static_cast<std::size_t>(process)].here; }
  bool ended(int process) const { return watched_[static_cast<std::size_t>(process)].ended; }

 private:
  struct Watched {
    bool here = false, ended = false;
    int descriptor = -1;  ///< open while the process runs
  };
  std::vector<Watched> watched_;
  int wake_;
};

}  // namespace poisson
