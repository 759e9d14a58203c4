#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lab/page/curve.hpp"
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

// Returns the strides whose accesses are distinctly slower than those of stride 1.
std::vector<int> conflicting(const Curve& curve) {
  std::vector<int> strides;
  for (const Point& point : curve.points())
    if (point.value > 1.4 * curve.at(1)) strides.push_back(static_cast<int>(point.x));
  return strides;
}

void conclude_strides(const Panel& panel, std::vector<std::string>& sentences) {
  for (const std::string& variant : variants_of(panel)) {
    const Curve curve(panel, variant);
    const std::vector<int> slow = conflicting(curve);
    // Half a warp of 8-byte elements uses the banks in pairs: 16 of them.
    const int places = variant == "8 bytes" ? bank_count / 2 : bank_count;
    const std::string places_text = std::to_string(places);
    std::vector<int> expected;
    double furthest = 0;
    for (const Point& point : curve.points()) {
      const int degree = std::gcd(static_cast<int>(point.x), places);
      if (degree > 1) expected.push_back(static_cast<int>(point.x));
      furthest = std::max(furthest, std::fabs(point.value / curve.at(1) / degree - 1));
    }
    const std::string worst = "the slowest ones take " + figure(curve.highest().value) +
                              " clocks per access of a warp instead of " + figure(curve.at(1));
    std::vector<std::string> names;
    for (const int stride : slow) names.push_back(std::to_string(stride));
    if (slow.empty())
      sentences.push_back("Elements of " + variant + ": no stride conflicts on this device.");
    else if (slow == expected)
      sentences.push_back("Elements of " + variant + ": exactly the even strides conflict, those with gcd(stride, " +
                          places_text + ") > 1, and all odd ones are free of conflicts; " + worst +
                          ". The gcd predicts the factor to within " + percent(std::max(furthest, 0.01)) + ".");
    else
      sentences.push_back("Elements of " + variant + ": the strides " + listed(names) +
                          " conflict, which is not what gcd(stride, " + places_text + ") > 1 predicts; " + worst + ".");
  }
}

void conclude_patterns(const Panel& panel, std::vector<std::string>& sentences) {
  const auto clocks = [&](const char* name) {
    const Curve curve(panel, name);
    return curve.empty() ? NAN : curve.first().value;
  };
  const double row = clocks("row"), column = clocks("column");
  const auto against_row = [&](double value) {
    const double ratio = value / row;
    return ratio < 1.05 ? std::string("as fast as a row") : figure(ratio) + " times as slow as a row";
  };
  sentences.push_back("A column of a tile of 32 × 32 words takes " + figure(column / row) +
                      " times as long as a row; with the rows padded to 33 words it is " +
                      against_row(clocks("column of rows padded to 33")) +
                      ", with swizzled rows, which need no extra memory, " +
                      against_row(clocks("column of swizzled rows")) + ".");
  const double broadcast = clocks("broadcast of one word");
  sentences.push_back(broadcast < 1.4 * row
                          ? "Lanes that read the same word share one access: a broadcast is " + against_row(broadcast) +
                                "."
                          : "A broadcast takes " + figure(broadcast / row) + " times as long as a row: avoid it here.");
  if (const double shifted = clocks("row shifted by 5 words"); shifted > 0)
    sentences.push_back("A row that begins anywhere is " + against_row(shifted) + ": banks know no alignment.");
  const Curve random(panel, "random");
  if (!random.empty())
    sentences.push_back("Random words take " + figure(random.first().value / row) + " times as long as a row; " +
                        figure(random.first().x) + " of them met in one bank.");
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
  std::vector<std::string> sentences;
  if (const Panel* const strides = find_panel(panels, "strides")) conclude_strides(*strides, sentences);
  if (const Panel* const patterns = find_panel(panels, "patterns")) conclude_patterns(*patterns, sentences);
  return sentences;
}

}  // namespace poisson::lab
