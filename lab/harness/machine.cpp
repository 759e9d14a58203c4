#include "lab/harness/machine.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "lab/harness/with_cuda.hpp"

namespace poisson::lab {
namespace {

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
  return text.data();
}

// What git says of the source tree; where there is none, as in a copy of it, what POISSON_COMMIT says.
std::string commit() {
  if (const char* const given = std::getenv("POISSON_COMMIT")) return given;
  std::string text;
  if (std::FILE* const git =
          popen("git -C '" POISSON_ROOT "' describe --always --dirty --exclude='*' 2>/dev/null", "r")) {
    for (int c = std::fgetc(git); c != EOF && c != '\n'; c = std::fgetc(git)) text += static_cast<char>(c);
    if (pclose(git) != 0) text.clear();
  }
  return text;
}

std::string gigahertz_text(double gigahertz) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3f GHz at work, measured; ", gigahertz);
  return text.data();
}

}  // namespace

std::vector<Fact> facts_of(const Backend& backend, const Machine& machine) {
  std::vector<Fact> facts{{"device", backend.device()}};
  if constexpr (with_cuda)
    if (backend.on_gpu()) {
      facts.push_back({"driver", gpu::driver()});
      facts.push_back({"clocks", gigahertz_text(machine.gigahertz) + gpu::clocks()});
    }
  if (backend.on_gpu()) facts.push_back({"host", machine.host});
  facts.push_back({"date", date()});
  if (std::string text = commit(); !text.empty()) facts.push_back({"commit", std::move(text)});
  return facts;
}

}  // namespace poisson::lab
