#pragma once

#include <cstddef>
#include <vector>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Owns host memory that the processes of one machine share: each process makes a piece, and all others map it. Pieces
/// have no name in any file system, so killed processes leave nothing behind.
class SharedPieces {
 public:
  /// Makes zeroed pieces of `bytes` bytes. Collective. If a process fails, all processes throw: the first one that
  /// failed throws RunError, the others StoppedElsewhere.
  SharedPieces(const Processes& processes, std::size_t bytes);
  ~SharedPieces();
  SharedPieces(const SharedPieces&) = delete;

  /// Returns the address of a process's piece in this process.
  char* of(int process) const { return pieces_[static_cast<std::size_t>(process)]; }

 private:
  void forget();
  std::size_t bytes_;
  std::vector<char*> pieces_;
};

}  // namespace poisson
