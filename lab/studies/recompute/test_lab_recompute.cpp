// Tests the study `recompute`: its oracle, every mode against it, and its conclusions.

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/contents.hpp"
#include "lab/harness/session.hpp"
#include "lab/studies/recompute/study.hpp"
#include "lab/studies/studies.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"

namespace poisson::lab {
namespace {

TEST(LabRecompute, TheMatrixIsSymmetricAndItsCoefficientsDiffer) {
  double sum = 0;
  for (std::size_t b = 0; b < band_count; ++b) {
    EXPECT_EQ(recompute_weights[b], recompute_weights[band_count - 1 - b]);
    const int mirror = static_cast<int>(band_count - 1 - b);
    EXPECT_EQ(offset_x(static_cast<int>(b)), -offset_x(mirror));
    EXPECT_EQ(offset_y(static_cast<int>(b)), -offset_y(mirror));
    sum += recompute_weights[b];
  }
  EXPECT_EQ(sum, 1);
  const CoefficientStart<double> start(9, 19);
  EXPECT_NEAR(coefficient(start, -1, -1, 0), 0.5, 1e-15) << "the corner (0, 0) of the unit square";
  EXPECT_NEAR(coefficient(start, 9, 19, 0), 1, 1e-15);
  EXPECT_NEAR(coefficient(start, 4, 9, 0), 0.75, 1e-15);
  EXPECT_NEAR(coefficient(start, 4, 9, 2), 0.25 + 0.5 * std::pow(1 - 1. / 256, 2), 1e-15);
  for (const int steps : {0, 8, 256})
    EXPECT_GT(std::abs(coefficient(start, 0, 0, steps) - coefficient(start, 0, 0, steps + 1)), 2e-4);
}

TEST(LabRecompute, TheOracleIsTheProductOfAMatrix) {
  // Both verbs are checked with the full matrix, whose entries are products of coefficients.
  const std::array n{5, 4};
  const int points = n[0] * n[1], steps = 3;
  const CoefficientStart<double> start(n[0], n[1]);
  std::vector<double> matrix(static_cast<std::size_t>(points * points));
  const auto entry = [&](int row, int column) -> double& {
    return matrix[static_cast<std::size_t>(row * points + column)];
  };
  for (int p = 0; p < points; ++p)
    for (int q = 0; q < points; ++q) {
      const int dx = std::abs(p % n[0] - q % n[0]), dy = std::abs(p / n[0] - q / n[0]);
      if (dx > 1 || dy > 1) continue;
      entry(p, q) = (dx == 0 ? 0.5 : 0.25) * (dy == 0 ? 0.5 : 0.25) * coefficient(start, p % n[0], p / n[0], steps) *
                    coefficient(start, q % n[0], q / n[0], steps);
    }
  for (int p = 0; p < points; ++p) {
    double sum = 0;
    for (int q = 0; q < points; ++q) {
      EXPECT_DOUBLE_EQ(entry(p, q), entry(q, p));
      sum += entry(p, q) * static_cast<double>(recompute_value(n[0], 0, q % n[0], q / n[0]));
    }
    const int i = p % n[0], j = p / n[0];
    EXPECT_NEAR(recomputed(n, i, j, steps, RecomputeVerb::product), sum, 1e-14);
    const double u = static_cast<double>(recompute_value(n[0], 0, i, j)),
                 f = static_cast<double>(recompute_value(n[0], 1, i, j));
    EXPECT_NEAR(recomputed(n, i, j, steps, RecomputeVerb::jacobi), u + 0.8 * (f - sum) / entry(p, p), 1e-12);
  }
}

TEST(LabRecompute, EveryModeAgreesWithTheOracleAndTheCheckSeesAStepTooMany) {
  Session session(test_device(), true);
  for (const Precision precision : {Precision::fp32, Precision::fp64})
    for (const std::array<int, 2> n : {std::array{3, 2}, {67, 9}, {300, 5}}) {
      RecomputeData data(session.backend(), n, precision);
      fill_vectors(data);
      for (const int steps : {0, 8, 64, 256}) {
        fill_entries(data, steps);
        for (const EntryMode& mode : entry_modes) {
          if (!session.on_gpu() && !mode.on_cpu) continue;
          for (const RecomputeVerb verb : {RecomputeVerb::product, RecomputeVerb::jacobi}) {
            SCOPED_TRACE(std::string(mode.name) + ", " + std::to_string(steps) + " steps");
            poison(session.backend(), data.y.data(), data.y.bytes());
            EXPECT_FALSE(row_is_right(data, 0, verb, 1)) << "nothing was computed";
            recompute(data, mode.source, verb);
            for (int j = 0; j < n[1]; ++j) EXPECT_TRUE(row_is_right(data, j, verb, 1)) << "row " << j;
            data.steps = steps + 1;
            EXPECT_FALSE(row_is_right(data, n[1] / 2, verb, 1)) << "one step more must show";
            data.steps = steps;
          }
        }
      }
    }
}

TEST(LabRecompute, CountsBytesAndOperations) {
  const EntryMode &full = entry_modes[0], &half = entry_modes[2], &fly = entry_modes[4], &once = entry_modes[5];
  EXPECT_EQ(recompute_bytes(full, RecomputeVerb::product, Precision::fp64), 88);
  EXPECT_EQ(recompute_bytes(half, RecomputeVerb::jacobi, Precision::fp32), 32);
  EXPECT_EQ(recompute_operations(full, RecomputeVerb::product, 100), 18) << "the historical 18 operations";
  EXPECT_EQ(recompute_operations(fly, RecomputeVerb::product, 8) - recompute_operations(fly, RecomputeVerb::product, 0),
            2 * 9 * 8);
  EXPECT_EQ(
      recompute_operations(once, RecomputeVerb::product, 8) - recompute_operations(once, RecomputeVerb::product, 0),
      2 * 8);
}

TEST(LabRecompute, RunsAndFailsWithABrokenVariant) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(recompute_study.measure(session), WrongResult);
}

}  // namespace
}  // namespace poisson::lab
