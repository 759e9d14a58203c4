// Tests the study `transfer`: its oracle, and its conclusions from given points.

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/transfer/study.hpp"
#include "tests/device.hpp"

namespace poisson::lab {
namespace {

TEST(TransferStudy, ManyRoundsAtOnceAreThoseOneByOne) {
  for (const int rounds : {0, 1, 2, 77, 5000}) {
    std::uint32_t value = 123456789;
    for (int i = 0; i < rounds; ++i) value = one_round(value);
    EXPECT_EQ(Rounds(rounds)(123456789), value) << rounds;
  }
}

TEST(TransferStudy, HostAndDeviceShareTheWork) {
  std::vector<std::uint32_t> words(3 * folded);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i * 40503U);
  std::uint32_t sum = 0;
  for (std::size_t result = 0; result < 3; ++result) {
    std::uint32_t of_one = 0;
    for (std::size_t i = 0; i < folded; ++i) of_one += one_round(one_round(words[result * folded + i]));
    sum += one_round(of_one);
  }
  EXPECT_EQ(worked_on(words, 2, 1), sum);
}

TEST(TransferStudy, CountsWrongValues) {
  std::vector<std::uint32_t> before(10'000), after(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = static_cast<std::uint32_t>(i * 2654435761U);
    after[i] = one_round(one_round(before[i]));
  }
  EXPECT_EQ(wrong_values(before, after, 2), 0);
  EXPECT_EQ(wrong_values(before, after, 3), 10'000);
  after[17] += 1;
  after[9'999] = 0xFFFFFFFF;
  EXPECT_EQ(wrong_values(before, after, 2), 2);
}

#ifdef POISSON_HAVE_CUDA
TEST(TransferStudy, RunsAndIsRight) {
  if (on_cpu()) GTEST_SKIP() << "it needs a GPU";
  Session session(test_device(), true);
  const Findings findings = findings_of(transfer_study, transfer_study.measure(session), session.machine());
  EXPECT_EQ(findings.panels.size(), 6u);
  EXPECT_GE(findings.conclusions.size(), 6u);
}
#endif

using Curve = std::tuple<std::string_view, std::vector<double>>;

// Makes curves of GB/s over the same places; seconds are those of one gigabyte.
Panel panel(const char* name, const std::vector<double>& x, const std::vector<Curve>& curves) {
  Panel all{.name = name, .title = "Pipeline", .x_label = "bytes", .y_label = "GB/s"};
  for (const auto& [variant, y] : curves)
    for (std::size_t i = 0; i < x.size(); ++i) all.points.push_back({std::string(variant), x[i], 1 / y[i], y[i]});
  return all;
}

std::string conclusions(const std::vector<Panel>& panels) {
  std::string text;
  for (const std::string& conclusion : conclude_transfer(panels)) text += conclusion + '\n';
  return text;
}

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* const part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is missing in:\n" << text;
}

TEST(TransferConclusions, OnSizesAndDirections) {
  using namespace transfer_names;
  const std::vector<double> x{4096, 65536, 1 << 20};
  expect_in(conclusions({panel("size", x,
                               {{pageable_up, {1, 5, 10}},
                                {pageable_down, {1, 4, 8}},
                                {pinned_up, {2, 30, 50}},
                                {pinned_down, {2, 30, 48}},
                                {both, {2, 50, 100}}})}),
            {"Pin what crosses", "far more slowly both ways", "100 GB/s in total, 2.0 times", "a lane for each",
             "half of the full rate needs 64 KiB"});
  expect_in(conclusions({panel("size", x,
                               {{pageable_up, {2, 30, 50}},
                                {pageable_down, {2, 30, 50}},
                                {pinned_up, {2, 20, 50}},
                                {pinned_down, {2, 30, 50}},
                                {both, {2, 50, 52}}})}),
            {"Pinning brings little", "1.0 times what one direction", "share the bus", "needs 1 MiB at a time"});
}

TEST(TransferConclusions, OnPieces) {
  using namespace transfer_names;
  expect_in(conclusions({panel("pieces", {1, 101}, {{pieces, {50, 5}}})}),
            {"in 101 copies take 10 times as long as in one", "some 2000 µs for each further one"});
  expect_in(conclusions({panel("pieces", {1, 101}, {{pieces, {50, 49}}})}), {"does not matter"});
}

TEST(TransferConclusions, OnPipelines) {
  using namespace transfer_names;
  Panel good = panel("pipeline-light", {1, 16, 256}, {{pipeline, {40, 95, 60}}});
  good.guides = {{"no overlap", {{1, 40}}}, {"ideal", {{1, 100}}}};
  expect_in(conclusions({good}), {"overlap reaches 95 % of the ideal and 2.4 times the rate without overlap",
                                  "1 chunk reaches 40 %, for too little overlaps",
                                  "overlaps, and 256 fall behind again, for each has to be started."});
  Panel even = panel("pipeline-light", {1, 16, 256}, {{pipeline, {40, 95, 93}}});
  even.guides = good.guides;
  expect_in(conclusions({even}), {"1 chunk reaches 40 %, for too little overlaps."});
  Panel idle = panel("pipeline-light", {1, 16}, {{pipeline, {41, 40}}});
  idle.guides = good.guides;
  expect_in(conclusions({idle}), {"41 % of the ideal", "Overlap gains nothing"});
  good.guides[1].points = {{1, 93}};
  expect_in(conclusions({good}), {"overlap reaches 102 % of the ideal",
                                  "for each has to be started: the ideal was measured at another moment."});
}

}  // namespace
}  // namespace poisson::lab
