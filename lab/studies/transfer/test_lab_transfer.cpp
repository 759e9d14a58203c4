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
#include "tests/lab/panels.hpp"

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
  EXPECT_EQ(silent(findings.conclusions, {"", "size", "pieces", "coprocessor", "pipeline-heavy"}),
            std::vector<std::string>());
}
#endif

std::string conclusions(const std::vector<Panel>& panels) {
  std::string text;
  for (const std::string& conclusion : conclude_transfer(panels)) text += conclusion + '\n';
  return text;
}

}  // namespace
}  // namespace poisson::lab
