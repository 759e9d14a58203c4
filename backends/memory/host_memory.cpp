#include "backends/memory/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include <malloc.h>
#include <omp.h>
#include <sys/resource.h>

namespace poisson {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return {};
  return value;
}

/// Returns the first number of a file; nothing if the file is missing or contains "max".
std::optional<std::size_t> read_number(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string word;
  if (!(stream >> word)) return {};
  return number(word);
}

/// Returns the number after a key at the beginning of a line, such as `MemTotal:` or `inactive_file`; 0 without one.
std::size_t value_of(const std::filesystem::path& file, std::string_view key) {
  std::ifstream stream(file);
  std::string name;
  std::size_t value = 0;
  while (stream >> name) {
    if (name == key && stream >> value) return value;
    stream.clear();
    stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

std::size_t less(std::size_t limit, std::size_t taken) {
  return limit - std::min(limit, taken);
}

/// Libraries allocate about this many bytes for files and messages.
constexpr std::size_t of_libraries = std::size_t{16} << 20;

void lower(MemoryLimit& limit, std::size_t bytes, const std::string& source, std::size_t reserve = of_libraries,
           bool of_addresses = false) {
  if (const std::size_t left = less(bytes, reserve); left < limit.bytes) limit = {left, source, of_addresses};
}

/// Lowers the limit to this process's share of the bytes that `here` processes share, minus the bytes that it already
/// uses.
void lower_by_share(MemoryLimit& limit, std::size_t bytes, int here, std::size_t taken, const std::string& source) {
  lower(limit, less(bytes / static_cast<std::size_t>(here), taken),
        here == 1 ? source : source + ", which " + std::to_string(here) + " processes share");
}

/// Stores the mount point of a hierarchy of control groups, and the path of this process's group below it.
struct Group {
  std::filesystem::path mount, path;
};

/// Returns the group of this process. `controller` is memory for version 1, empty for version 2.
std::optional<Group> own_group(const std::filesystem::path& root, std::string_view controller) {
  std::string own;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controller.empty() ? names == ",," : names.find("," + std::string(controller) + ",") != std::string::npos)
      own = line.substr(second + 1);
  }
  if (own.empty()) return {};
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // 36 35 98:0 ROOT MOUNT OPTIONS ... - TYPE SOURCE OPTIONS
    std::istringstream words(line);
    std::string skipped, top, mount, word, type, source, options;
    words >> skipped >> skipped >> skipped >> top >> mount;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> options;
    const bool fits =
        controller.empty()
            ? type == "cgroup2"
            : type == "cgroup" && ("," + options + ",").find("," + std::string(controller) + ",") != std::string::npos;
    if (!fits) continue;
    // A container may see only a part of the hierarchy.
    std::string below = own;
    if (top != "/" && own.starts_with(top))
      below = own.substr(top.size());
    else if (top != "/")
      below = "/";
    return Group{root / std::filesystem::path(mount).relative_path(), std::filesystem::path(below).relative_path()};
  }
  return {};
}

void lower_by_groups(MemoryLimit& limit, int here, const std::filesystem::path& root, bool second) {
  const auto group = own_group(root, second ? "" : "memory");
  if (!group) return;
  const char* const largest = second ? "memory.max" : "memory.limit_in_bytes";
  const char* const taken = second ? "memory.current" : "memory.usage_in_bytes";
  const std::string total = second ? "" : "total_";
  for (std::filesystem::path path = group->path;; path = path.parent_path()) {
    const std::filesystem::path folder = group->mount / path;
    // Cached files can be evicted, so they count as free. Version 1 writes a number near 2^63 if there is no limit.
    if (const auto most = read_number(folder / largest); most && *most < unlimited / 4) {
      const std::size_t cached = value_of(folder / "memory.stat", total + "inactive_file") +
                                 value_of(folder / "memory.stat", total + "active_file");
      const std::size_t left = less(*most, less(read_number(folder / taken).value_or(0), cached));
      lower_by_share(limit, left, here, 0, "the memory limit of the control group /" + path.generic_string());
    }
    if (path.empty()) return;
  }
}

void lower_by_slurm(MemoryLimit& limit, int here, std::size_t resident) {
  const auto variable = [](const char* name) -> std::size_t {
    const char* text = std::getenv(name);
    return text ? number(text).value_or(0) : 0;
  };
  constexpr std::size_t mebibyte = std::size_t{1} << 20, most = std::size_t{1} << 40;
  if (!std::getenv("SLURM_JOB_ID")) return;
  if (const std::size_t node = std::min(variable("SLURM_MEM_PER_NODE"), most); node > 0)
    lower_by_share(limit, node * mebibyte, here, resident, "SLURM_MEM_PER_NODE");
  const std::size_t share = std::min(variable("SLURM_MEM_PER_CPU"), most);
  const std::size_t cores = std::clamp<std::size_t>(variable("SLURM_CPUS_ON_NODE"), 1, 1 << 16);
  if (share > 0) lower_by_share(limit, share * cores * mebibyte, here, resident, "SLURM_MEM_PER_CPU");
}

/// Returns nothing if there is no limit.
std::optional<std::size_t> limit_of(int resource) {
  rlimit of{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &of) != 0 || of.rlim_cur == RLIM_INFINITY) return {};
  return of.rlim_cur;
}

/// Lowers the limit by a ulimit. `started`: threads that this process already runs.
void lower_by_ulimit(MemoryLimit& limit, int resource, std::size_t taken, std::size_t started, const char* name) {
  const auto most = limit_of(resource);
  if (!most) return;
  // Threads that have not started yet need stacks: OpenMP's threads, and one that writes files.
  const std::size_t stack = limit_of(RLIMIT_STACK).value_or(std::size_t{8} << 20);
  const std::size_t missing = less(static_cast<std::size_t>(omp_get_max_threads()) + 1, started);
  lower(limit, less(*most, taken), name, of_libraries + missing * stack, true);
}

}  // namespace

void use_one_arena() {
  if (limit_of(RLIMIT_AS) || limit_of(RLIMIT_DATA)) mallopt(M_ARENA_MAX, 1);
}

MemoryLimit hard_memory_limit(int here, const std::filesystem::path& root) {
  MemoryLimit limit{unlimited, ""};
  const std::filesystem::path memory = root / "proc/meminfo", status = root / "proc/self/status";
  const std::size_t resident = value_of(status, "VmRSS:") << 10;
  if (const std::size_t total = value_of(memory, "MemTotal:") << 10; total > 0)
    lower_by_share(limit, total + (value_of(memory, "SwapTotal:") << 10), here, resident, "the memory of this machine");
  lower_by_groups(limit, here, root, false);
  lower_by_groups(limit, here, root, true);
  lower_by_slurm(limit, here, resident);
  const std::size_t threads = value_of(status, "Threads:");
  lower_by_ulimit(limit, RLIMIT_AS, value_of(status, "VmSize:") << 10, threads, "ulimit -v");
  lower_by_ulimit(limit, RLIMIT_DATA, value_of(status, "VmData:") << 10, threads, "ulimit -d");
  return limit;
}

MemoryLimit available_memory(int here) {
  MemoryLimit limit = hard_memory_limit(here);
  if (const std::size_t free = value_of("/proc/meminfo", "MemAvailable:") << 10; free > 0)
    lower_by_share(limit, free, here, 0, "the memory of this machine");
  return limit;
}

}  // namespace poisson
