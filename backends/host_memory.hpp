#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace poisson {

/// Bytes that this process may still allocate, and who says so. What libraries and threads that are still to start
/// will take is off.
struct MemoryLimit {
  std::size_t bytes = 0;
  std::string source;         ///< such as "ulimit -v"
  bool of_addresses = false;  ///< what is never touched counts, too
};

/// To be called before the program starts threads. Where ulimit counts addresses, all threads allocate from one arena:
/// whether glibc gives a thread 64 MiB of addresses of its own hangs on timing, and runs would fit by chance.
void use_one_arena();

/// The least of the limits that end a process which exceeds them: the machine's memory with its swap, control groups
/// (versions 1 and 2) down to this process's own, what Slurm has granted, ulimit -v and -d; what the process has taken
/// already is off. Of several processes on a machine, `here`, each has its share of what is for all. `root`: where
/// /proc and /sys are looked for.
MemoryLimit hard_memory_limit(int here = 1, const std::filesystem::path& root = "/");

/// Bytes that the system could hand out now, its caches given up, and never more than the hard limit.
MemoryLimit available_memory(int here = 1);

}  // namespace poisson
