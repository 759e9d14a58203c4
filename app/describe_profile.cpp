#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/describe.hpp"

namespace poisson {
namespace {

using Entries = std::vector<Profile::Entry>;

// Returns the entries that satisfy `which`, with one sum for each verb.
template <class Which>
Entries by_verb(std::span<const Profile::Entry> entries, const Which& which) {
  Entries sums;
  for (const Profile::Entry& e : entries) {
    if (!which(e)) continue;
    const auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.verb == e.verb; });
    if (found == sums.end()) {
      sums.push_back(e);
    } else {
      found->calls += e.calls;
      found->seconds += e.seconds;
      found->bytes += e.bytes;
    }
  }
  std::sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return sums;
}

Profile::Entry sum_of(std::span<const Profile::Entry> entries, int level) {
  Profile::Entry sum;
  sum.level = level;
  for (const Profile::Entry& e : entries) {
    if (e.level != level) continue;
    sum.calls += e.calls;
    sum.seconds += e.seconds;
    sum.bytes += e.bytes;
  }
  return sum;
}

}  // namespace

std::vector<std::string> describe_profile(std::span<const Profile::Entry> entries,
                                          std::span<const Summary::Profile> processes, double copy, double seconds) {
  std::vector<std::string> lines;
  double in_verbs = 0;
  int levels = 0;
  for (const Profile::Entry& e : entries) {
    in_verbs += e.seconds;
    levels = std::max(levels, e.level + 1);
  }
  const auto row = [&](std::string_view name, const Profile::Entry& e) {
    std::string line = fmt::format("  {:<18}{:>8}{:>12.3f}{:>8.1f} %", name, e.calls, 1e3 * e.seconds,
                                   in_verbs > 0 ? 100 * e.seconds / in_verbs : 0.0);
    if (e.bytes > 0 && e.seconds > 0)
      line += fmt::format("{:>11.4g}{:>10.4g}{:>8.1f} %", 1e-6 * e.bytes, 1e-9 * e.bytes / e.seconds,
                          100 * e.bytes / e.seconds / copy);
    lines.push_back(line);
  };
  const auto section = [&](const std::string& title) {
    lines.emplace_back();
    lines.push_back(fmt::format("{:<20}{:>8}{:>12}{:>10}{:>11}{:>10}{:>10}", title, "calls", "ms", "share", "MB",
                                "GB/s", "of copy"));
  };

  section("Finest level");
  for (const auto& e : by_verb(entries, [](const auto& x) { return x.level == 0; })) row(e.verb, e);
  if (levels > 1) {
    section("Coarser levels");
    for (const auto& e : by_verb(entries, [](const auto& x) { return x.level > 0; })) row(e.verb, e);
    section("Levels");
    for (int l = 0; l < levels; ++l) row(std::to_string(l), sum_of(entries, l));
  }
  if (processes.size() > 1) {
    lines.emplace_back();
    lines.push_back(
        fmt::format("{:<20}{:>12}{:>12}{:>12}{:>12}", "Processes, ms", "computing", "exchanges", "coarse", "gathers"));
    for (std::size_t r = 0; r < processes.size(); ++r) {
      const auto& [computing, exchanges, coarse, gathers] = processes[r];
      lines.push_back(fmt::format("  {:<18}{:>12.3f}{:>12.3f}{:>12.3f}{:>12.3f}", r, 1e3 * computing, 1e3 * exchanges,
                                  1e3 * coarse, 1e3 * gathers));
    }
  }
  lines.emplace_back();
  if (processes.size() > 1) {
    lines.push_back(
        fmt::format("{} processes: calls are counted per process, ms is the mean, MB and GB/s are totals. Copies",
                    processes.size()));
    lines.push_back(fmt::format(
        "on the finest level run at {:.4g} GB/s in total. MB count every value once; values that", 1e-9 * copy));
    lines.emplace_back("every process stores count once per process.");
  } else {
    lines.push_back(
        fmt::format("A copy on the finest level runs at {:.4g} GB/s; MB count every value once.", 1e-9 * copy));
  }
  lines.push_back(
      fmt::format("{:.3f} of {:.3f} ms were spent in these operations. Each was launched and timed separately,",
                  1e3 * in_verbs, 1e3 * seconds));
  lines.emplace_back("without graph replay: a solve without --profile is faster.");
  return lines;
}

}  // namespace poisson
