#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/studies/banks/study.hpp"

namespace poisson::lab {
namespace {

LaneElements lanes_of(int (*element)(int lane)) {
  LaneElements lanes{};
  for (int lane = 0; lane < warp_lanes; ++lane)
    lanes[static_cast<std::size_t>(lane)] = static_cast<std::uint16_t>(element(lane));
  return lanes;
}

constexpr std::array patterns{
    LanePattern{"row", [] { return strided_lanes(1); }},
    LanePattern{"row shifted by 5 words", [] { return lanes_of([](int lane) { return lane + 5; }); }},
    LanePattern{"column", [] { return strided_lanes(32); }},
    LanePattern{"column of rows padded to 33", [] { return strided_lanes(33); }},
    LanePattern{"column of swizzled rows", [] { return lanes_of([](int lane) { return 32 * lane + (lane ^ 5); }); }},
    LanePattern{"broadcast of one word", [] { return lanes_of([](int) { return 7; }); }},
    LanePattern{"eight words, four lanes each", [] { return lanes_of([](int lane) { return lane / 4; }); }},
    LanePattern{"random",
                [] {
                  return lanes_of(
                      [](int lane) { return static_cast<int>(noise(static_cast<std::uint64_t>(lane)) % 1024); });
                }},
};

// Returns the largest deviation of a curve from clocks(1) · gcd(stride, units), relative to that prediction.
double deviation(const Curve& curve, int units) {
  double furthest = 0;
  for (const Point& point : curve.points())
    furthest =
        std::max(furthest, std::fabs(point.value / curve.at(1) / std::gcd(static_cast<int>(point.x), units) - 1));
  return furthest;
}

void on_strides(const Panel& panel, Lessons& lessons) {
  const Curve words(panel, "4 bytes"), pairs(panel, "8 bytes");
  if (words.empty() || pairs.empty()) return;
  const double off = std::max(deviation(words, bank_count), deviation(pairs, bank_count / 2));
  if (off > 0.1) {
    lessons.say(panel.name, "The gcd of stride and banks does not predict these clocks: they deviate by up to " +
                                percent(off) + ".");
    return;
  }
  lessons.say("A stride costs gcd(stride, 32) passes over the 32 banks: odd strides are free, a stride of 32 takes " +
              figure(words.highest().value) + " clocks instead of " + figure(words.at(1)) + ".");
  lessons.say(panel.name, "The gcd predicts all strides within " + percent(std::ceil(100 * off) / 100) +
                              "; elements of 8 bytes use the banks in pairs and take " + figure(pairs.at(1)) +
                              " clocks without conflicts.");
}

// Returns "as long as a row" or "32 times as long as a row".
std::string as_long(double ratio) {
  return (std::fabs(ratio - 1) < 0.05 ? std::string() : times(ratio) + " ") + "as long as a row";
}

void on_patterns(const Panel& panel, Lessons& lessons) {
  const auto against_row = [&](const char* name) {
    const Point *const point = best_of(panel, name), *const row = best_of(panel, "row");
    return point && row ? point->value / row->value : NAN;
  };
  const double column = against_row("column"), padded = against_row("column of rows padded to 33"),
               swizzled = against_row("column of swizzled rows"), broadcast = against_row("broadcast of one word"),
               shifted = against_row("row shifted by 5 words"), random = against_row("random");
  if (!known(column, padded, swizzled, broadcast, shifted, random)) return;
  lessons.say(panel.name, "A column of a 32 × 32 tile takes " + as_long(column) +
                              ", because all its words share a bank; if padding or swizzling spreads them, it takes " +
                              as_long(std::fmax(padded, swizzled)) + ".");
  lessons.say(panel.name, "Broadcasts and shifted rows take " + as_long(std::fmax(broadcast, shifted)) +
                              "; this draw of random words takes " + as_long(random) + ", because " +
                              figure(Curve(panel, "random").first().x) + " of them share a bank.");
}

}  // namespace

LaneElements strided_lanes(int stride) {
  LaneElements lanes{};
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    lanes[lane] = static_cast<std::uint16_t>(lane * static_cast<std::size_t>(stride));
  return lanes;
}

std::span<const LanePattern> lane_patterns() {
  return patterns;
}

int predicted_passes(const LaneElements& lanes, int element_bytes) {
  const int words = element_bytes / bank_bytes, together = warp_lanes / words;
  int passes = 0;
  for (int first = 0; first < warp_lanes; first += together) {
    std::array<std::set<int>, bank_count> wanted;
    for (int lane = first; lane < first + together; ++lane)
      for (int w = 0; w < words; ++w) {
        const int word = lanes[static_cast<std::size_t>(lane)] * words + w;
        wanted[static_cast<std::size_t>(word % bank_count)].insert(word);
      }
    std::size_t most = 0;
    for (const std::set<int>& of_bank : wanted) most = std::max(most, of_bank.size());
    passes += static_cast<int>(most);
  }
  return passes;
}

std::vector<std::string> conclude_banks(const std::vector<Panel>& panels) {
  Lessons lessons;
  if (const Panel* const strides = find_panel(panels, "strides")) on_strides(*strides, lessons);
  if (const Panel* const patterns = find_panel(panels, "patterns")) on_patterns(*patterns, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
