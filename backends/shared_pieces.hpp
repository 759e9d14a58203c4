#pragma once

#include <cstddef>
#include <vector>

#include "backends/processes.hpp"

namespace poisson {

/// Memory of the host that the processes of one machine share: each makes a piece, and all others see it. Pieces have
/// no name in any file system, so that nothing is left of processes that are killed.
class SharedPieces {
 public:
  /// Zeroed pieces of so many bytes. All processes call it together; it throws on all of them where one cannot: the
  /// first such one RunError, the others StoppedElsewhere.
  SharedPieces(const Processes& processes, std::size_t bytes);
  ~SharedPieces();
  SharedPieces(const SharedPieces&) = delete;

  /// The piece of a process, where this process sees it.
  char* of(int process) const { return pieces_[static_cast<std::size_t>(process)]; }

 private:
  void forget();
  std::size_t bytes_;
  std::vector<char*> pieces_;
};

}  // namespace poisson
