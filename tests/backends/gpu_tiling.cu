// These tests check on the host how kernels cut boxes of more than 2³¹ values into tiles and sums into slices; nothing
// is launched.

#include <algorithm>
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "backends/cuda/plane_sums.cuh"
#include "backends/cuda/slices.cuh"
#include "backends/cuda/tiling.cuh"

namespace poisson::cuda {

/// Describes a functor that processes tiles by complete warps.
struct Warps {
  static constexpr int width = 30, rows = 4;
  void warp(const WarpTile&) const;
};

namespace {

constexpr std::int64_t most_blocks = 65535;  // limit along y and z on every device

struct Columns {};

const std::array<Box, 7> boxes{Box{{1, 1, 1}, {2049, 1100, 1030}},   Box{{0, 0, 0}, {5, 30001, 20001}},
                               Box{{1, 0, 1}, {60001, 3, 20001}},    Box{{0, 1, 0}, {30001, 20001, 5}},
                               Box{{63, 1, 0}, {70001, 50001, 1}},   Box{{65, 0, 1}, {66, 50001, 70001}},
                               Box{{-1, -1, -1}, {4097, 4097, 4097}}};

template <class Column>
void expect_cover(const Box& box, int threads) {
  const auto tiling = Tiling::of<Column>(box, threads);
  const bool warps = takes_warps<Column>;
  const int width = warps ? Warps::width : 1 << tiling.log_width;
  const int height = warps ? threads / 32 * Warps::rows : threads / width;
  const auto covered = [](std::int64_t first, std::int64_t pieces, std::int64_t size, std::int64_t last) {
    return first + pieces * size >= last && first + (pieces - 1) * size < last;
  };
  EXPECT_LE(tiling.first_x, box.first[0]);
  EXPECT_GT(tiling.first_x + width, box.first[0]);
  EXPECT_TRUE(covered(tiling.first_x, tiling.blocks.x, width, box.last[0]));
  EXPECT_TRUE(covered(box.first[1], tiling.blocks.y, height, box.last[1]));
  EXPECT_TRUE(covered(box.first[2], tiling.blocks.z, tiling.planes, box.last[2]));
  EXPECT_LE(tiling.grid().y, most_blocks);
  EXPECT_LE(tiling.grid().z, most_blocks);
  EXPECT_EQ(std::int64_t{tiling.grid().x} * tiling.grid().y, std::int64_t{tiling.blocks.x} * tiling.blocks.y);

  const int depth = box.last[2] - box.first[2];
  const Slices slices(box, tiling, depth);
  EXPECT_TRUE(covered(box.first[2], slices.tiling.blocks.z, slices.tiling.planes, box.last[2]));
  EXPECT_GE(slices.groups, 1);
  EXPECT_LE(slices.tiling.blocks.z, most_slices);
  EXPECT_LE(std::int64_t{slices.groups} * slices.tiling.blocks.z, most_slices);
  EXPECT_LE(slices.groups, std::int64_t{tiling.blocks.x} * tiling.blocks.y);

  const PlaneSums sums(box, tiling, depth);
  EXPECT_TRUE(covered(box.first[2], sums.tiling.blocks.z, sums.tiling.planes, box.last[2]));
  EXPECT_GE(sums.groups, 1);
  EXPECT_LE(sums.groups, std::int64_t{tiling.blocks.x} * tiling.blocks.y);
  EXPECT_LE(sums.count(depth), most_plane_sums);
  EXPECT_LE(sums.partials(depth), std::int64_t{planes_of_block} * most_sum_blocks);
  EXPECT_TRUE(sums.thickness == sums.tiling.planes || (sums.thickness == 1 && sums.tiling.planes <= planes_of_block));
  EXPECT_LE(sums.tiling.blocks.z, most_blocks);
}

TEST(Tiling, CoversBoxesOfMoreThan31BitsOfValues) {
  for (const Box& box : boxes)
    for (const int threads : {tile_threads, 128}) {
      SCOPED_TRACE(testing::Message() << "box " << &box - boxes.data() << ", " << threads << " threads");
      ASSERT_GT(box.size(), std::int64_t{1} << 31);
      expect_cover<Columns>(box, threads);
      expect_cover<Warps>(box, threads);
    }
}

/// Any axis may have ten million cells.
TEST(Tiling, CoversLongBoxes) {
  constexpr int most = 10'000'001;
  for (const Box& box : {Box{{0, 0, 0}, {16, most, 1}}, Box{{1, 0, 1}, {16, 1, most}}, Box{{0, 1, 0}, {3, 2, most}},
                         Box{{0, 0, 0}, {most, 17, 1}}, Box{{63, 0, 0}, {most, 1, 9}}, Box{{0, 0, 0}, {1, most, 1}}})
    for (const int threads : {tile_threads, 128}) {
      SCOPED_TRACE(testing::Message() << box.last[0] << " " << box.last[1] << " " << box.last[2] << ", " << threads);
      expect_cover<Columns>(box, threads);
      expect_cover<Warps>(box, threads);
    }
}

/// No thread of a tile may be idle along x if the box is narrower than a tile.
TEST(Tiling, IsAsWideAsThinBoxes) {
  for (const int threads : {tile_threads, 128}) {
    EXPECT_EQ(Tiling({{1, 1, 1}, {16, 500, 500}}, threads).log_width, 4);
    EXPECT_EQ(Tiling({{0, 0, 0}, {7, 500, 500}}, threads).log_width, 3);
    EXPECT_EQ(Tiling({{1, 0, 0}, {3, 500, 500}}, threads).log_width, 2);
  }
}

/// The sum of a plane must not depend on which planes of a grid are local.
TEST(PlaneSums, AreThoseOfTheWholeGrid) {
  for (const int depth : {7, 333, 512, 20000}) {
    const Box whole{{1, 1, 0}, {301, 200, depth}};
    const PlaneSums all(whole, Tiling(whole), depth);
    for (const int planes : {1, 2, depth / 3, depth - 1}) {
      const Box part{{1, 1, 3}, {301, 200, 3 + planes}};
      const PlaneSums own(part, Tiling(part), depth);
      EXPECT_EQ(own.groups, all.groups);
      EXPECT_EQ(own.thickness, all.thickness);
      EXPECT_EQ(own.count(planes), planes);
      const Slices slices_of_all(whole, Tiling(whole), depth), slices(part, Tiling(part), depth);
      EXPECT_EQ(slices.groups, slices_of_all.groups);
      EXPECT_EQ(slices.tiling.planes, 1);
      EXPECT_EQ(slices.tiling.blocks.z, static_cast<unsigned>(planes));
    }
  }
}

TEST(Slices, OfAnEmptyBoxAddNothing) {
  const Box empty{{1, 1, 1}, {1, 5, 5}};
  EXPECT_EQ(PlaneSums(empty, Tiling({{0, 0, 0}, {1, 5, 5}}), 5).groups, 0);
  EXPECT_EQ(Slices(empty, Tiling({{0, 0, 0}, {1, 5, 5}}), 5).groups, 0);
}

}  // namespace
}  // namespace poisson::cuda
