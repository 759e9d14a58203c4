#pragma once

#include <cstddef>
#include <memory>

#include "backends/processes.hpp"

namespace poisson::cuda {

/// Where mailboxes lie: each on the GPU of its process, or in memory of the host.
enum class MailPlace { devices, host };

/// Memory for the mailboxes of a group, zeroed: a piece for each process, which the GPUs of all others write to.
class MailboxMemory {
 public:
  /// Pieces of so many bytes, between processes of one machine. All of them call it together, and give it up together.
  static std::unique_ptr<MailboxMemory> make(MailPlace place, const Processes& processes, std::size_t bytes);
  virtual ~MailboxMemory() = default;
  /// The piece of a process, where this one's GPU sees it.
  virtual char* of(int process) const = 0;
};

}  // namespace poisson::cuda
