#include "app/shared_profile.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace poisson {
namespace {

constexpr std::size_t longest_name = 48;

/// An entry as it travels; without calls, room that a process has no entry for.
struct Sent {
  std::array<char, longest_name> verb{};
  int level = 0;
  bool shared = false;
  std::int64_t calls = 0;
  double seconds = 0, bytes = 0;
};

Sent sent(const Profile::Entry& e) {
  Sent s{{}, e.level, e.shared, e.calls, e.seconds, e.bytes};
  std::ranges::copy(e.verb.substr(0, longest_name - 1), s.verb.begin());
  return s;
}

// Names of verbs outlive what has them.
std::string_view kept(std::string_view name) {
  static std::set<std::string, std::less<>> names;
  return *names.emplace(name).first;
}

}  // namespace

std::vector<Profile::Entry> of_all(std::span<const Profile::Entry> own, const Processes& processes) {
  std::vector<Profile::Entry> all(own.begin(), own.end());
  if (processes.alone()) return all;
  all.clear();
  const auto count = static_cast<std::size_t>(processes.count());
  const auto most = static_cast<std::size_t>(processes.largest(static_cast<double>(own.size())));
  std::vector<Sent> mine(most), received(most * count);
  std::ranges::transform(own, mine.begin(), sent);
  processes.gather(mine.data(), most * sizeof(Sent), received.data());
  for (const Sent& s : received) {
    if (s.calls == 0) continue;
    const std::string_view verb(s.verb.data());
    auto found =
        std::ranges::find_if(all, [&](const Profile::Entry& e) { return e.verb == verb && e.level == s.level; });
    if (found == all.end()) found = all.insert(found, {kept(verb), s.level, s.shared});
    found->calls = std::max(found->calls, s.calls);
    found->seconds += s.seconds / static_cast<double>(count);
    found->bytes += s.bytes;
  }
  return all;
}

}  // namespace poisson
