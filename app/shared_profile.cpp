#include "app/shared_profile.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "backends/device/traffic.hpp"

namespace poisson {
namespace {

/// Represents an entry in a message, with the verb as its row of the table. An entry without calls is padding.
struct Sent {
  std::size_t row = 0;
  int level = 0;
  bool shared = false;
  std::int64_t calls = 0;
  double seconds = 0, bytes = 0;
};

Sent sent(const Profile::Entry& e) {
  const auto row = std::ranges::find(traffic_table, e.verb, &Traffic::verb);
  return {static_cast<std::size_t>(row - traffic_table.begin()), e.level, e.shared, e.calls, e.seconds, e.bytes};
}

}  // namespace

std::vector<Profile::Entry> of_all(std::span<const Profile::Entry> own, const Processes& processes) {
  if (processes.alone()) return {own.begin(), own.end()};
  const auto count = static_cast<std::size_t>(processes.count());
  const auto most = static_cast<std::size_t>(processes.largest(static_cast<double>(own.size())));
  std::vector<Sent> mine(most), received(most * count);
  std::ranges::transform(own, mine.begin(), sent);
  processes.gather(mine.data(), most * sizeof(Sent), received.data());
  std::vector<Profile::Entry> all;
  for (const Sent& s : received) {
    if (s.calls == 0) continue;
    const std::string_view verb = traffic_table[s.row].verb;
    auto found =
        std::ranges::find_if(all, [&](const Profile::Entry& e) { return e.verb == verb && e.level == s.level; });
    if (found == all.end()) found = all.insert(found, {verb, s.level, s.shared});
    found->calls = std::max(found->calls, s.calls);
    found->seconds += s.seconds / static_cast<double>(count);
    found->bytes += s.bytes;
  }
  return all;
}

}  // namespace poisson
