#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace poisson {

/// Stores the bytes that this process may still allocate, and the source of the limit. Memory for libraries and for
/// threads that have not started yet is already subtracted.
struct MemoryLimit {
  std::size_t bytes = 0;
  std::string source;         ///< such as "ulimit -v"
  bool of_addresses = false;  ///< untouched memory counts as well
};

/// Makes all threads allocate from one arena if ulimit counts addresses; to be called before the program starts
/// threads. Otherwise glibc may reserve 64 MiB of addresses for a thread depending on timing, and runs would fit by
/// chance.
void use_one_arena();

/// Returns the lowest of the limits at which a process is killed or an allocation fails:
/// - the machine's memory plus swap,
/// - the limits of control groups (versions 1 and 2), down to the process's group,
/// - Slurm's grant,
/// - ulimit -v and -d.
///
/// Memory that the process already uses is subtracted. Limits that the processes of a machine share are divided by
/// `here`, their number. /proc and /sys are searched under `root`.
MemoryLimit hard_memory_limit(int here = 1, const std::filesystem::path& root = "/");

/// Returns the bytes that the system can provide now if it drops its caches; never more than the hard limit.
MemoryLimit available_memory(int here = 1);

}  // namespace poisson
