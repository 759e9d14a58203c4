// Tests the study `texture`: its walks, oracle and sentences, and its kernels on a GPU.

#include <cmath>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "lab/studies/texture/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(PlaceOf, MeetsEveryElementOnce) {
  for (const Walk2 walk : {Walk2::rows, Walk2::columns, Walk2::random})
    for (const int size : {1, 4, 64}) {
      std::set<std::pair<int, int>> seen;
      for (int line = 0; line < size; ++line)
        for (int place = 0; place < size; ++place) {
          const Place2 at = place_of(walk, line, place, size);
          ASSERT_TRUE(at.row >= 0 && at.row < size && at.column >= 0 && at.column < size);
          seen.insert({at.row, at.column});
        }
      EXPECT_EQ(static_cast<int>(seen.size()), size * size);
    }
  EXPECT_EQ(place_of(Walk2::rows, 3, 5, 8).row, 3);
  EXPECT_EQ(place_of(Walk2::columns, 3, 5, 8).row, 5);
}

TEST(WalkSum, SharesTheSquareAmongBlocksAndThreads) {
  for (const Walk2 walk : {Walk2::rows, Walk2::columns, Walk2::random})
    for (const int lanes : {1, 4})
      for (const Blocks grid : {Blocks{1, 1}, {3, 5}, {40, 16}}) {
        double sum = 0, expected = 0;
        for (std::int64_t number = 0; number < grid.size(); ++number)
          sum += static_cast<double>(WalkSum{walk, 16, lanes, grid}(number));
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(256 * lanes); ++i)
          expected += static_cast<double>(noise_float(i));
        EXPECT_NEAR(sum, expected, 1e-5 * expected);
      }
}

#ifdef POISSON_HAVE_CUDA
TEST(Texture, RowsOfSweepsHaveTheFewestThatDoAsWell) {
  const Panels panels{synthetic_panel("threads", {16, 32, 64, 128, 512},
                                      {{path_names[2], [](double x) { return x < 32 ? 1700.0 : 2500 + x / 10; }}})};
  int rows = 0;
  for (const Historical& row : texture_study.history) {
    if (!row.what.starts_with("threads in 4096 blocks")) continue;
    EXPECT_EQ(row.today(panels, {}), 32);
    EXPECT_TRUE(std::isnan(row.today({}, {})));
    ++rows;
  }
  EXPECT_EQ(rows, 1);
}

TEST(Texture, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(texture_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
