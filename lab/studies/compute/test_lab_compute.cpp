// Tests the study `compute`: its stencil, its prediction, and its conclusions.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/compute/study.hpp"
#include "tests/device.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(LabCompute, StepsEveryEntryByItsOwnFactor) {
  EXPECT_DOUBLE_EQ(expensive_value({1, 0, 0, 0, 0}, 0), 0.5);
  EXPECT_DOUBLE_EQ(expensive_value({1, 2, 3, 4, 5}, 0), 0.5 + 14 * 0.125);
  // One step gives 0.75·1 + 0.25 in the centre and 0.25 elsewhere.
  EXPECT_DOUBLE_EQ(expensive_value({1, 0, 0, 0, 0}, 1), 0.5 * 1 + 4 * 0.125 * 0.25);
  EXPECT_DOUBLE_EQ(expensive_value({0, 8, 0, 0, 0}, 1), 0.5 * 0.25 + 0.125 * (0.625 * 8 + 0.25) + 3 * 0.125 * 0.25);
  EXPECT_DOUBLE_EQ(expensive_value({0, 0, 0, 8, 0}, 1), 0.5 * 0.25 + 0.125 * (0.875 * 8 + 0.25) + 3 * 0.125 * 0.25);
  // The limit satisfies e = a e + b: b/(1 − a) for every factor.
  double limit = 0;
  for (std::size_t d = 0; d < 5; ++d) limit += stencil_weights[d] * entry_shift / (1 - entry_factors[d]);
  EXPECT_NEAR(expensive_value({3, 1, 4, 1, 5}, 256), limit, 1e-12);
}

TEST(LabCompute, CountsOperationsAndBytes) {
  EXPECT_EQ(operations_per_point(0), 10);
  EXPECT_EQ(operations_per_point(7), 80);
  EXPECT_EQ(bytes_per_point(Precision::fp32), 8);
  EXPECT_EQ(bytes_per_point(Precision::fp64), 16);
}

TEST(LabCompute, PredictsTheLargerOfBothTimes) {
  EXPECT_DOUBLE_EQ(predicted_seconds(100, 10, 50, 1000), 2);
  EXPECT_DOUBLE_EQ(predicted_seconds(100, 8000, 50, 1000), 8);
}

/// Returns panels of a device with 1000 GB/s and 10000 GFLOP/s in fp32, at `share` of the prediction at every place.
std::vector<Panel> measured(double share) {
  Panel roofline{"roofline", "", "", "", true, true, {}, {}}, time{"time", "", "", "", true, true, {}, {}};
  roofline.guides.push_back({"prediction, fp32", {{1, 1000}, {10, 10000}, {400, 10000}}});
  for (const int steps : {0, 1, 3, 7, 15, 31, 63}) {
    const double operations = operations_per_point(steps), intensity = operations / 8;
    const double seconds = predicted_seconds(8, operations, 1e12, 1e13) / share;
    roofline.points.push_back({"fp32", intensity, seconds, 1e-9 * operations / seconds});
    time.points.push_back({"fp32", operations, seconds, 1e12 * seconds});
  }
  return {roofline, time};
}

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

TEST(LabCompute, FindsWhereArithmeticBegins) {
  const auto sentences = conclude_compute(measured(0.95));
  EXPECT_TRUE(says(sentences, "10 operations in the time of one byte"));
  EXPECT_TRUE(says(sentences, "should have 80 for free"));
  EXPECT_TRUE(says(sentences, "the ridge lies where it is predicted"));
  EXPECT_TRUE(says(sentences, "every entry reaches at least 95 %"));
  EXPECT_TRUE(says(sentences, "up to 40 per value"));
}

TEST(LabCompute, SaysWhereThePredictionFails) {
  auto panels = measured(1);
  panels[0].points[0].value *= 0.5;
  const auto sentences = conclude_compute(panels);
  EXPECT_TRUE(says(sentences, "every entry reaches at least 50 % of what"));
  EXPECT_FALSE(says(sentences, "near the ridge"));
}

TEST(LabCompute, SaysWhatTheCacheGains) {
  const auto with_cache = [](double cheap, double dear) {
    auto panels = measured(0.8);
    for (const Point& point : std::vector(panels[0].points))
      panels[0].points.push_back({std::string(in_cache), point.x, 8e-6, (point.x < 2 ? cheap : dear) * point.value});
    return conclude_compute(panels);
  };
  EXPECT_TRUE(says(with_cache(1.2, 1.1), "at 1200 GFLOP/s, beyond it at 1000: the cache's roof is higher"));
  EXPECT_TRUE(says(with_cache(1, 1), "starting the kernel takes what the cache would gain"));
  EXPECT_TRUE(
      says(with_cache(1.2, 0.8), "Dearer entries are done faster beyond the cache: a sweep within it takes some 8 µs"));
}

TEST(LabCompute, SaysWhereASweepHasNoKnee) {
  auto panels = measured(1);
  for (Point& point : panels[1].points) point.value = 5;
  EXPECT_TRUE(says(conclude_compute(panels), "not what the prediction expects"));
  for (Point& point : panels[1].points) point.value = point.x;
  EXPECT_TRUE(says(conclude_compute(panels), "not what the prediction expects"));
  EXPECT_TRUE(conclude_compute({}).empty());
}

TEST(LabCompute, VerifiesEveryVariantOnAGpu) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
#ifdef POISSON_HAVE_CUDA
  Session session(test_device(), true);
  const Findings findings = findings_of(compute_study, compute_study.measure(session), session.machine());
  ASSERT_EQ(findings.panels.size(), 2U);
  EXPECT_GE(findings.conclusions.size(), 5U);
  // No point may exceed both ceilings, which would mean that the compiler removed work.
  for (const Guide& guide : findings.panels[0].guides)
    for (const Point& point : findings.panels[0].points)
      if (guide.name == "prediction, " + point.variant) {
        EXPECT_LT(point.value, 1.1 * guide.points[1][1]) << guide.name << " at " << point.x;
      }
#endif
}

}  // namespace
}  // namespace poisson::lab
