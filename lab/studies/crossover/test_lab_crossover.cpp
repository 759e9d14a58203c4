// Tests the study `crossover`: the banded product, the place where curves cross, and the conclusions.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <omp.h>

#include "lab/harness/session.hpp"
#include "lab/studies/crossover/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(LabCrossover, OrdersBandsAsAGrid) {
  const std::array five{-10, -1, 0, 1, 10};
  const std::array nine_low{-11, -10, -9};
  for (int b = 0; b < 5; ++b) EXPECT_EQ(band_offset(5, 10, b), five[static_cast<std::size_t>(b)]);
  for (int b = 0; b < 3; ++b) EXPECT_EQ(band_offset(9, 10, b), nine_low[static_cast<std::size_t>(b)]);
  for (int b = 0; b < 9; ++b) EXPECT_EQ(band_offset(9, 10, b), -band_offset(9, 10, 8 - b));
  EXPECT_EQ(bytes_per_row(5), 56);
}

/// The reference multiplies with the dense matrix, entry by entry.
TEST(LabCrossover, ItsOracleIsTheDenseProduct) {
  for (const int bands : {5, 9})
    for (const int m : {1, 2, 3, 6}) {
      const int rows = m * m;
      for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int column = 0; column < rows; ++column)
          for (int b = 0; b < bands; ++b)
            if (column - row == band_offset(bands, m, b)) sum += band_value(m, b, row) * vector_value(column);
        EXPECT_NEAR(banded_row(bands, m, row), sum, 1e-15) << bands << " bands, m = " << m << ", row " << row;
      }
    }
}

TEST(LabCrossover, KeepsBandsApart) {
  for (const int m : {1, 2, 83, 1024, 2048}) {
    EXPECT_GE(band_stride(m), std::int64_t{m} * m);
    EXPECT_EQ(band_stride(m) % 8, 0);
    EXPECT_NE(band_stride(m) % 512, 0) << "rows of all bands would meet in few sets of a cache";
  }
}

TEST(LabCrossover, MultipliesOnTheCpu) {
  for (const int bands : {5, 9})
    for (const int m : {1, 2, 7, 83}) {
      const Bands values = band_values(bands, m);
      const std::vector<double> x = padded_vector(m);
      std::vector<double> y(static_cast<std::size_t>(m) * static_cast<std::size_t>(m),
                            std::numeric_limits<double>::quiet_NaN());
      multiply_on_cpu({bands, m, values.values.get(), x.data() + m + 1, y.data()});
      for (std::size_t row = 0; row < y.size(); ++row)
        ASSERT_NEAR(y[row], banded_row(bands, m, static_cast<std::int64_t>(row)), 1e-14) << row << " of m = " << m;
    }
}

TEST(LabCrossover, TimesAllThreadsOrHalf) {
  Session cpu("cpu", true);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(4);
  std::set<int> teams;
  EXPECT_GT(time_on_cpu(cpu, [&] { teams.insert(omp_get_max_threads()); }), 0);
  EXPECT_EQ(teams, (std::set{2, 4}));
  EXPECT_EQ(omp_get_max_threads(), 4) << "as it was before";
  omp_set_num_threads(threads);
}

/// Makes curves over 10, 100, 1000 with these ratios of GPU to CPU.
Panel panel_of(std::array<double, 3> gpu, std::array<double, 3> moving = {0.1, 0.1, 0.1}) {
  Panel panel{"axpy", "axpy (x travels)", "unknowns", "", true, true, {}, {}, false, Panel::host_noise};
  double x = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    x *= 10;
    panel.points.push_back({std::string(cpu_curve), x, 1, 7});
    panel.points.push_back({std::string(gpu_curve), x, 1, 7 * gpu[i]});
    panel.points.push_back({std::string(transfer_curve), x, 1, 7 * moving[i]});
  }
  return panel;
}

TEST(LabCrossover, FindsWhereCurvesCross) {
  const auto from = [](std::array<double, 3> gpu) { return ahead_from(panel_of(gpu), gpu_curve, cpu_curve); };
  EXPECT_TRUE(std::isnan(from({0.1, 0.2, 0.9})));
  EXPECT_TRUE(std::isnan(from({0.1, 0.2, 1.4}))) << "within the noise";
  EXPECT_TRUE(std::isnan(from({9, 9, 0.5}))) << "an early lead that is lost is none";
  EXPECT_EQ(from({3, 4, 5}), 10);
  EXPECT_EQ(from({0.5, 9, 10}), 100);
  EXPECT_EQ(from({0.5, 1, 10}), 1000);
  EXPECT_TRUE(std::isnan(from({1, 1, 10}))) << "beside each other for two steps and more: a lead of the noise's choice";
}

TEST(LabCrossover, VerifiesEveryVariantOnAGpu) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
#ifdef POISSON_HAVE_CUDA
  Session session(test_device(), true);
  const Findings findings = findings_of(crossover_study, crossover_study.measure(session), session.machine());
  EXPECT_EQ(findings.panels.size(), 6U);
  EXPECT_EQ(silent(findings.conclusions, {"", "axpy", "dot", "bands-5", "bands-9", "cycle"}),
            std::vector<std::string>());
#endif
}

}  // namespace
}  // namespace poisson::lab
