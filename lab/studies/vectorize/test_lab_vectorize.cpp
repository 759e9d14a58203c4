// Tests the study `vectorize`: the oracle and the sentences on the host, the kernels on a GPU.

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "lab/studies/vectorize/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#include "lab/studies/vectorize/kernels.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

const GridMemory memory = memory_of(Layout{{7, 4, 3}, {}});

TEST(GridMemory, FindsEveryValueOnceAndItsHaloNever) {
  std::set<std::int64_t> seen;
  std::int64_t beside = 0;
  for (std::int64_t p = 0; p < memory.allocated; ++p) {
    const bool found = memory.visit(p, false, [&](int i, int j, int k) {
      EXPECT_EQ(memory.at(i, j, k), p);
      return true;
    });
    if (found)
      seen.insert(p);
    else
      ++beside;
  }
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), memory.points());
  EXPECT_EQ(beside, memory.allocated - memory.points());
  EXPECT_EQ(memory.at(0, 0, 0) % 4, 0) << "lines must be aligned for float4";
  EXPECT_EQ(memory.pitch % 4, 0);
}

// Compares the oracle with a sweep over plain arrays.
TEST(SweptWord, IsAJacobiSweep) {
  const GridNoise noise_u{memory, 0}, noise_f{memory, 1};
  std::vector<float> u(static_cast<std::size_t>(memory.allocated)), f(u.size());
  for (std::size_t p = 0; p < u.size(); ++p) {
    u[p] = noise_u(p);
    f[p] = noise_f(p);
  }
  std::vector<std::uint32_t> swept(u.size(), poison_word);
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 7; ++i) {
        const auto p = static_cast<std::size_t>(memory.at(i, j, k));
        const auto line = static_cast<std::size_t>(memory.pitch), plane = static_cast<std::size_t>(memory.plane());
        swept[p] = bits(jacobi_point(u[p - 1], u[p + 1], u[p - line], u[p + line], u[p - plane], u[p + plane], f[p]));
      }
  int interior = 0;
  for (std::size_t p = 0; p < u.size(); ++p) {
    ASSERT_EQ((SweptWord{memory}(static_cast<std::int64_t>(p))), swept[p]) << p;
    interior += swept[p] != poison_word ? 1 : 0;
  }
  EXPECT_EQ(interior, memory.points());
  EXPECT_NE(u[static_cast<std::size_t>(memory.at(0, 0, 0))], f[static_cast<std::size_t>(memory.at(0, 0, 0))]);
}

// −Δu = f has u = x² with f = −2 as a fixed point.
TEST(JacobiPoint, KeepsASolution) {
  for (int x = -3; x < 4; ++x) {
    const auto square = [](int i) { return static_cast<float>(i * i); };
    EXPECT_FLOAT_EQ(jacobi_point(square(x - 1), square(x + 1), square(x), square(x), square(x), square(x), -2),
                    square(x));
  }
}

#ifdef POISSON_HAVE_CUDA
TEST(Vectorize, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_vectorize(session));
}

TEST(Vectorize, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(vectorize_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
