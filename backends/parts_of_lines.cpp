#include "backends/parts_of_lines.hpp"

#include <algorithm>

#include "backends/reduced_line.hpp"

namespace poisson {
namespace {

// GPUs gather parts of at most 8 MB by themselves, one value beyond every end counted (cuda/mailbox.cu).
constexpr int most_values = 1 << 20;

// Equal shares of the places along the second axis.
int slows_at_a_time(int lanes, int slows) {
  const int most = std::max(1, most_values / ((lanes + 2) * (PartOfLine::count + 2)) - 2);
  const int turns = (slows + most - 1) / most;
  return (slows + turns - 1) / turns;
}

Cuts cuts_of(int processes, int lanes, int slows) {
  Cuts cuts;
  cuts.n = {lanes, slows_at_a_time(lanes, slows), PartOfLine::count * processes};
  for (int p = 1; p < processes; ++p) cuts.first[2].push_back(p * PartOfLine::count);
  return cuts;
}

Layout whole_of(const Cuts& cuts) {
  Layout layout;
  layout.n = cuts.n;
  return layout;
}

}  // namespace

PartsOfLines::PartsOfLines(Backend& backend, Precision precision, const std::shared_ptr<const Processes>& processes,
                           int lanes, int slows) {
  const Cuts cuts = cuts_of(processes->count(), lanes, slows);
  const Layout whole = whole_of(cuts);
  own_ = Field(backend, Space(Share{cuts, processes}, whole.box()), precision);
  all_ = Field(backend, whole, precision);
  backend.join(own_.space());
}

std::size_t PartsOfLines::bytes(Precision precision, int processes, int lanes, int slows) {
  const Cuts cuts = cuts_of(processes, lanes, slows);
  return static_cast<std::size_t>(cuts.layout(0).allocated(precision) + whole_of(cuts).allocated(precision)) *
         bytes_of(precision);
}

}  // namespace poisson
