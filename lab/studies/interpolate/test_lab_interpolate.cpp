// Tests the study `interpolate`: its shapes, its oracle, and its conclusions from given numbers.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/interpolate/neighbours.hpp"
#include "lab/studies/interpolate/study.hpp"
#include "tests/device.hpp"
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

std::vector<Panel> measured(double texture, double refilled, double recomputed, double exact, double inexact) {
  Panel speed{"speed-2d", "", "", "", false, false, {}, {{"device copy", {{2, 4000}}}}};
  Panel error{"error-2d", "", "", "", false, true, {}, {}};
  for (const double x : {2.0, 3.0, 4.0}) {
    speed.points.push_back({"texture", x, 1, 1000 * texture});
    speed.points.push_back({"texture, filled anew", x, 1, 1000 * refilled});
    speed.points.push_back({"arithmetic, recomputed", x, 1, 1000 * recomputed});
    speed.points.push_back({"arithmetic, hoisted", x, 1, 1000});
    error.points.push_back({"texture", x, 1, x == 3 ? inexact : exact});
  }
  return {speed, error};
}

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

TEST(LabInterpolate, ConcludesWhatTheNumbersSay) {
  const auto fast = conclude_interpolate(measured(2, 0.5, 0.5, 1e-8, 2e-3));
  EXPECT_TRUE(says(fast,
                   "texture filtering is 2 times as fast as arithmetic with hoisted indices; where the coarse values "
                   "are new each time"));
  EXPECT_TRUE(says(fast, "arithmetic is 2 times as fast"));
  EXPECT_TRUE(
      says(fast, "out of the inner loop is 2 times as fast as with every index computed anew: divide once per line"));
  EXPECT_TRUE(says(fast, "\"texture\", reaches 50 % of a device copy"));
  EXPECT_TRUE(says(
      fast, "for the factors 2 and 4, all weights are multiples of 1/256, which the texture's filter holds exactly"));
  EXPECT_TRUE(says(fast, "off by up to 0.002 of the data's range; a step of a picture of 8 bits is 0.0039"));

  const auto slow = conclude_interpolate(measured(0.8, 0.8, 1, 3e-3, 1e-8));
  EXPECT_TRUE(says(slow, "arithmetic with hoisted indices is 1.3 times as fast as texture filtering"));
  EXPECT_TRUE(says(slow, "makes no clear difference"));
  EXPECT_TRUE(says(slow, "does not hold: an error of 0.003 is left"));
  EXPECT_TRUE(says(slow, "filters with wider weights"));
  EXPECT_FALSE(says(slow, "three dimensions"));
  EXPECT_TRUE(conclude_interpolate({}).empty());
}

TEST(LabInterpolate, VerifiesEveryVariantOnAGpu) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
#ifdef POISSON_HAVE_CUDA
  Session session(test_device(), true);
  const Findings findings = findings_of(interpolate_study, interpolate_study.measure(session), session.machine());
  EXPECT_EQ(findings.panels.size(), 5U);
  EXPECT_GE(findings.conclusions.size(), 8U);
#endif
}

}  // namespace
}  // namespace poisson::lab
