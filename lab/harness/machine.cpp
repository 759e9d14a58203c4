#include "lab/harness/machine.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "backends/utilities/commit.hpp"
#include "lab/harness/chip.hpp"
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
      facts.push_back({"chip", gpu::parts()});
      facts.push_back({"toolkit", gpu::toolkit()});
      facts.push_back({"driver", gpu::driver()});
      facts.push_back({"clocks", gigahertz_text(machine.gigahertz) + gpu::clocks()});
    }
  if (backend.on_gpu()) facts.push_back({"host", machine.host});
  facts.push_back({"date", date()});
  if (const std::string text = commit(); !text.empty()) facts.push_back({"commit", text});
  return facts;
}

}  // namespace poisson::lab
