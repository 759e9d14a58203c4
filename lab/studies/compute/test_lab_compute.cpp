// Tests the study `compute`: its stencil, its prediction, and its conclusions.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/compute/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
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

TEST(LabCompute, VerifiesEveryVariantOnAGpu) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
#ifdef POISSON_HAVE_CUDA
  Session session(test_device(), true);
  const Findings findings = findings_of(compute_study, compute_study.measure(session), session.machine());
  ASSERT_EQ(findings.panels.size(), 2U);
  EXPECT_EQ(silent(findings.conclusions, {"", "time", "roofline"}), std::vector<std::string>());
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
