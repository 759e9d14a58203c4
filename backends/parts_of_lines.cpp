#include "backends/parts_of_lines.hpp"

#include <algorithm>

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

Cuts cuts_of(const std::array<int, 3>& parts, int axis, int lanes, int slows) {
  const auto [fast, slow] = axes_across(axis);
  std::array<int, 3> own{};
  own[fast] = lanes;
  own[slow] = slows_at_a_time(lanes, slows);
  own[static_cast<std::size_t>(axis)] = PartOfLine::count;
  Cuts cuts;
  for (std::size_t d = 0; d < 3; ++d) {
    cuts.n[d] = own[d] * parts[d];
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(p * own[d]);
  }
  return cuts;
}

Layout whole_of(const Cuts& cuts) {
  Layout layout;
  layout.n = cuts.n;
  return layout;
}

}  // namespace

PartsOfLines::PartsOfLines(Backend& backend, Precision precision, const std::shared_ptr<const Processes>& processes,
                           const std::array<int, 3>& parts, int axis, int lanes, int slows)
    : axis_(axis) {
  const Cuts cuts = cuts_of(parts, axis, lanes, slows);
  const Layout whole = whole_of(cuts);
  own_ = Field(backend, Space(Share{cuts, processes}, whole.box()), precision);
  all_ = Field(backend, whole, precision);
}

std::size_t PartsOfLines::bytes_told(Precision precision, const std::array<int, 3>& parts, int axis, int lanes,
                                     int slows) {
  return static_cast<std::size_t>(whole_of(cuts_of(parts, axis, lanes, slows)).allocated(precision)) *
         bytes_of(precision);
}

std::size_t PartsOfLines::bytes(Precision precision, const std::array<int, 3>& parts, int axis, int lanes, int slows) {
  const Layout own = cuts_of(parts, axis, lanes, slows).layout(0);
  return static_cast<std::size_t>(own.allocated(precision)) * bytes_of(precision) +
         bytes_told(precision, parts, axis, lanes, slows);
}

}  // namespace poisson
