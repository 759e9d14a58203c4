#include "backends/mpi/signs_of_life.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace poisson {
namespace {

namespace fs = std::filesystem;

/// Returns the fields of /proc/NUMBER/stat from the state on. They follow the name, which is in parentheses and may
/// contain parentheses.
std::string stat_of(const fs::path& process) {
  std::ifstream stream(process / "stat");
  std::string text;
  std::getline(stream, text);
  const std::size_t name = text.rfind(')');
  return name == std::string::npos || name + 2 >= text.size() ? "" : text.substr(name + 2);
}

/// Returns the total scheduled time of all threads. If the kernel lacks schedstat, only CPU ticks count.
std::uint64_t scheduled_time(const fs::path& process, const std::string& stat) {
  std::uint64_t all = 0;
  std::error_code gone;
  for (fs::directory_iterator thread(process / "task", gone), end; !gone && thread != end; thread.increment(gone)) {
    std::ifstream stream(thread->path() / "schedstat");
    std::uint64_t ran = 0, waited = 0;
    if (stream >> ran >> waited) all += ran + waited;
  }
  std::istringstream fields(stat);
  std::string field;
  for (int n = 3; n <= 15 && fields >> field; ++n)  // 14 and 15: utime and stime (proc(5))
    if (n >= 14) all += std::strtoull(field.c_str(), nullptr, 10);
  return all;
}

struct Family {
  /// Names of environment variables. Processes of one job share the value of `job`, or their parent if `job` is null.
  const char *rank, *job;
};
constexpr Family families[]{{"PMIX_RANK", "PMIX_NAMESPACE"},
                            {"OMPI_COMM_WORLD_RANK", "OMPI_MCA_ess_base_jobid"},
                            {"PMI_RANK", nullptr},
                            {"MV2_COMM_WORLD_RANK", nullptr}};

std::optional<int> integer(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<int> variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? integer(text) : std::nullopt;
}

/// Returns the value of a variable in a process's initial environment.
std::optional<std::string_view> find_variable(std::string_view environment, std::string_view name) {
  for (std::size_t at = 0; at < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    const std::string_view entry = environment.substr(at, end - at);
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return entry.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

std::optional<int> parent_of(const fs::path& process) {
  std::istringstream fields(stat_of(process));
  std::string state;
  int parent = 0;
  if (fields >> state >> parent) return parent;
  return {};
}

}  // namespace

ProcessState state_of(std::int64_t number) {
  const fs::path process = "/proc/" + std::to_string(number);
  const std::string stat = stat_of(process);
  ProcessState state;
  if (stat.empty() || stat[0] == 'Z' || stat[0] == 'X') return state;
  state.exists = true;
  state.stopped = stat[0] == 'T' || stat[0] == 't';
  state.active = stat[0] == 'R' || stat[0] == 'D';
  state.time = scheduled_time(process, stat);
  return state;
}

Fate SignsOfLife::judge(const ProcessState& state, std::chrono::milliseconds now) {
  const bool first = !std::exchange(seen_, true);
  if (first || state.active || state.time != time_) active_ = now;
  if (first || !state.stopped) running_ = now;
  time_ = state.time;
  if (state.stopped) return now - running_ >= most_stopped ? Fate::stopped : Fate::alive;
  return now - active_ >= most_silent ? Fate::silent : Fate::alive;
}

std::vector<LaunchedProcess> launched_here() {
  const auto* family = std::begin(families);
  while (family != std::end(families) && !(variable(family->rank) && (!family->job || std::getenv(family->job))))
    ++family;
  if (family == std::end(families)) return {};
  const std::string job = family->job ? std::getenv(family->job) : "";
  const int own = *variable(family->rank);
  std::map<int, std::int64_t> found;
  std::error_code gone;
  for (fs::directory_iterator process("/proc", gone), end; !gone && process != end; process.increment(gone)) {
    const std::optional<int> number = integer(process->path().filename().string());
    if (!number || *number == getpid()) continue;
    std::ifstream stream(process->path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(stream), {}};
    const auto rank = find_variable(environment, family->rank);
    if (!rank || !integer(*rank) || integer(*rank) == own) continue;
    if (family->job ? find_variable(environment, family->job) != job : parent_of(process->path()) != getppid())
      continue;
    // If a script starts the program, both have the variables; the program is the younger process.
    std::int64_t& youngest = found[*integer(*rank)];
    youngest = std::max<std::int64_t>(youngest, *number);
  }
  std::vector<LaunchedProcess> all;
  for (const auto& [rank, number] : found) all.push_back({rank, number});
  return all;
}

int launched_count() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const auto count = variable(name)) return *count;
  return 0;
}

int launched_rank() {
  for (const Family& family : families)
    if (const auto rank = variable(family.rank)) return *rank;
  return 0;
}

}  // namespace poisson
