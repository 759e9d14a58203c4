// Tests the study `cluster`: its oracle and sentences, and its kernels on a GPU.

#include <gtest/gtest.h>

#include "lab/studies/cluster/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(Cluster, RingsKeepTheirSum) {
  const std::vector<float> start = rings_after(2, 3, 0), end = rings_after(2, 3, 40);
  ASSERT_EQ(start.size(), end.size());
  for (const std::size_t first : {std::size_t{0}, start.size() / 2}) {
    double before = 0, after = 0;
    for (std::size_t i = first; i < first + start.size() / 2; ++i) {
      before += static_cast<double>(start[i]);
      after += static_cast<double>(end[i]);
    }
    EXPECT_NEAR(before, after, 1e-4 * before) << "points pass on what they lose";
  }
  EXPECT_NE(start, end);
}

#ifdef POISSON_HAVE_CUDA
TEST(Cluster, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(cluster_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
