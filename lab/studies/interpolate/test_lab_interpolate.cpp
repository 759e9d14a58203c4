// Tests the study `interpolate`: its shapes, its oracle, and its conclusions from given numbers.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/interpolate/neighbours.hpp"
#include "lab/studies/interpolate/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#endif

namespace poisson::lab {
namespace {

double coarse(std::int64_t position) {
  return static_cast<double>(noise_float(static_cast<std::uint64_t>(position)));
}

TEST(LabNeighbours, LastValuesGoOnBeyondTheGrid) {
  // A grid of one point is its own neighbour.
  const float u = SquareNoise{0}(0), f = SquareNoise{1}(0);
  EXPECT_EQ(SweptSquare{1}(0), lecture_step(u, u, u, u, f));
  // Check the middle of 3 × 3 points.
  const auto at = [](int i, int j) { return SquareNoise{0}(static_cast<std::uint64_t>(3 * j + i)); };
  EXPECT_EQ(SweptSquare{3}(4), lecture_step(at(0, 1), at(2, 1), at(1, 0), at(1, 2), SquareNoise{1}(4)));
  EXPECT_EQ(SweptSquare{3}(0), lecture_step(at(0, 0), at(1, 0), at(0, 0), at(0, 1), SquareNoise{1}(0)));
}

TEST(LabInterpolate, CountsCoarseValues) {
  const Refinement flat{2, {5, 4, 1}, 2};
  EXPECT_EQ(flat.coarse(), (std::array{4, 3, 1}));  // 0, 2, 4 and one more; 0, 2 and one more
  EXPECT_EQ(flat.fine_size(), 20);
  EXPECT_EQ(flat.coarse_size(), 12);
  EXPECT_EQ(flat.bytes(), 4 * 32);
  EXPECT_EQ((Refinement{3, {7, 1, 9}, 3}.coarse()), (std::array{4, 2, 4}));
}

TEST(LabInterpolate, TakesCoarseValuesAndTheirMeans) {
  const Refinement flat{2, {9, 7, 1}, 2};
  const int width = flat.coarse()[0];
  EXPECT_DOUBLE_EQ(interpolated(flat, 0, 0, 0), coarse(0));
  EXPECT_DOUBLE_EQ(interpolated(flat, 4, 6, 0), coarse(3 * width + 2));
  EXPECT_DOUBLE_EQ(interpolated(flat, 3, 2, 0), (coarse(width + 1) + coarse(width + 2)) / 2);
  EXPECT_DOUBLE_EQ(interpolated(flat, 2, 3, 0), (coarse(width + 1) + coarse(2 * width + 1)) / 2);
  EXPECT_DOUBLE_EQ(interpolated(flat, 1, 1, 0), (coarse(0) + coarse(1) + coarse(width) + coarse(width + 1)) / 4);
  const Refinement solid{3, {7, 7, 7}, 3};
  const int plane = solid.coarse()[0] * solid.coarse()[1];
  EXPECT_NEAR(interpolated(solid, 3, 3, 1), (2 * coarse(5) + coarse(5 + plane)) / 3, 1e-15);
  EXPECT_NEAR(interpolated(solid, 5, 0, 0), (coarse(1) + 2 * coarse(2)) / 3, 1e-15);
}

TEST(LabInterpolate, KnowsWhichWeightsAFilterHolds) {
  for (const int factor : {2, 4, 8, 16}) EXPECT_TRUE(exact_in_filter(factor, 2)) << factor;
  for (const int factor : {3, 5, 6, 7, 32}) EXPECT_FALSE(exact_in_filter(factor, 2)) << factor;
  for (const int factor : {2, 4}) EXPECT_TRUE(exact_in_filter(factor, 3)) << factor;
  EXPECT_FALSE(exact_in_filter(8, 3)) << "products of three eighths need nine bits";
  EXPECT_DOUBLE_EQ(filter_error(2), 2.0 / 512);
}

TEST(LabInterpolate, VerifiesEveryVariantOnAGpu) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
#ifdef POISSON_HAVE_CUDA
  Session session(test_device(), true);
  const Findings findings = findings_of(interpolate_study, interpolate_study.measure(session), session.machine());
  EXPECT_EQ(findings.panels.size(), 5U);
  EXPECT_EQ(silent(findings.conclusions, {"", "speed-2d", "error-2d", "speed-3d", "jacobi"}),
            std::vector<std::string>());
#endif
}

}  // namespace
}  // namespace poisson::lab
