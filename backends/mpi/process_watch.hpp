#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace poisson {

/// Where a process runs, and which one it is there. Numbers of processes mean something to those who share a table of
/// them: containers of one machine have their own.
struct ProcessPlace {
  std::array<char, 64> host{};
  std::uint64_t table = 0;  ///< of process numbers: the kernel and its namespace; 0: not known
  std::int64_t number = 0;

  static ProcessPlace own();
};

/// Watches the processes of this machine: the kernel says at once when one of them has ended, whether anybody has asked
/// what became of it or not. Those that it cannot see, on other machines and in other containers, seem to go on.
class ProcessWatch {
 public:
  /// `places`: of all processes, this one's among them.
  ProcessWatch(const std::vector<ProcessPlace>& places, int own);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;

  /// Waits so long, or until another process ends, or for `wake`.
  void wait(std::chrono::milliseconds time);
  /// From another thread: ends a wait, this one or the next.
  void wake() const;

  bool sees(int process) const { return watched_[static_cast<std::size_t>(process)].here; }
  bool ended(int process) const { return watched_[static_cast<std::size_t>(process)].ended; }

 private:
  struct Watched {
    bool here = false, ended = false;
    int descriptor = -1;  ///< of a process that goes on
  };
  std::vector<Watched> watched_;
  int wake_;
};

}  // namespace poisson
