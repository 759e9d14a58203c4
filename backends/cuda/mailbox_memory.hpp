#pragma once

#include <cstddef>
#include <memory>

#include "backends/mailbox_layout.hpp"
#include "backends/processes.hpp"

namespace poisson::cuda {

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
