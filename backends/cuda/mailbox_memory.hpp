#pragma once

#include <cstddef>
#include <memory>

#include "backends/processes/processes.hpp"
#include "backends/spaces/mailbox_layout.hpp"

namespace poisson::cuda {

/// Owns the zeroed memory of a group's mailboxes: one piece per process, which the GPUs of all processes can write to.
class MailboxMemory {
 public:
  /// Allocates `bytes` bytes per process, for processes of one machine. Creation and destruction are collective.
  static std::unique_ptr<MailboxMemory> make(MailPlace place, const Processes& processes, std::size_t bytes);
  virtual ~MailboxMemory() = default;
  /// Returns the address of a process's piece on the GPU of this process.
  virtual char* of(int process) const = 0;
};

}  // namespace poisson::cuda
