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

Panel bars(const char* name, const std::vector<std::pair<std::string, double>>& values) {
  Panel panel;
  panel.name = name;
  for (const auto& [variant, value] : values) panel.points.push_back({variant, 0, 1, value});
  return panel;
}

TEST(Conclusions, OfWalks) {
  const auto best = [](double columns) {
    return bars("best", {{"float, rows, plain", 4000},
                         {"float, rows, array texture", 3900},
                         {"float, columns, plain", 500},
                         {"float, columns, array texture", columns},
                         {"float, random, plain", 400},
                         {"float, random, array texture", 200}});
  };
  const auto rescued = conclude_texture({best(3950)}, {.copy = 4300});
  EXPECT_TRUE(says(rescued, "by columns 3950 GB/s, 7.9 times the rate of plain loads (500)")) << joined(rescued);
  EXPECT_TRUE(says(rescued, "by random about 200 GB/s (plain loads about 400)")) << joined(rescued);
  EXPECT_TRUE(says(rescued, "columns have the rate, within the noise of this machine, of rows, as the lecture found"))
      << joined(rescued);
  const auto lost = conclude_texture({best(390)}, {.copy = 4300});
  EXPECT_TRUE(says(lost, "columns have only 10 % of the rate of rows: laying elements out")) << joined(lost);
}

TEST(Conclusions, OfThreadsAndBlocks) {
  const auto sentences = conclude_texture(
      {synthetic_panel("threads", {32, 64, 100, 128, 300, 512},
                       {{"array texture", [](double x) { return std::fmod(x, 32) == 0 ? 3000.0 : 2000.0; }}}),
       synthetic_panel("blocks", {64, 1024, 4096}, {{"plain", [](double x) { return x; }}})},
      {});
  EXPECT_TRUE(says(sentences, "of those in blocks of 512; blocks that are no multiple of 32 have only 67 %"))
      << joined(sentences);
  EXPECT_TRUE(says(sentences, "with 64 blocks 1.6 % of that and with 4096 blocks 100 %")) << joined(sentences);
}

TEST(Conclusions, OfOffsetsAndLatency) {
  const auto sentences =
      conclude_texture({synthetic_panel("offset", {0, 1, 32},
                                        {{"plain", [](double x) { return x == 1 ? 3900.0 : 4000.0; }},
                                         {"linear texture", [](double) { return 4000.0; }}}),
                        synthetic_panel("chase", {16384, 1 << 28},
                                        {{"plain", [](double x) { return x < 1e5 ? 20.0 : 300.0; }},
                                         {"linear texture", [](double x) { return x < 1e5 ? 60.0 : 350.0; }}})},
                       {});
  EXPECT_TRUE(says(sentences, "at most 2.5 % with plain loads and 0 % with linear texture")) << joined(sentences);
  EXPECT_TRUE(says(sentences, "60 ns within 16 KiB (plain 20)")) << joined(sentences);
  EXPECT_TRUE(says(sentences, "where a cache answers, textures take longer")) << joined(sentences);
  const auto second =
      conclude_texture({synthetic_panel("chase", {16384, 1 << 22, 1 << 28},
                                        {{"plain", [](double x) { return x < 1e5 ? 20.0 : 100.0; }},
                                         {"linear texture", [](double x) { return x < 1e5 ? 60.0 : 90.0; }}})},
                       {});
  EXPECT_FALSE(says(second, "where a cache answers")) << joined(second);
  // A place with scattering batches has no figure that another run would confirm.
  Panel scattered = synthetic_panel("chase", {16384, 1 << 28},
                                    {{"plain", [](double x) { return x < 1e5 ? 20.0 : 300.0; }},
                                     {"linear texture", [](double x) { return x < 1e5 ? 60.0 : 250.0; }}});
  scattered.points.back().seconds.spread = 0.36;
  const auto firm = conclude_texture({scattered}, {});
  EXPECT_TRUE(says(firm, "60 ns within 16 KiB (plain 20): where a cache answers")) << joined(firm);
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
