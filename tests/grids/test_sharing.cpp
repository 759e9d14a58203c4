// These tests check the parts into which grids are cut.

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson::sharing_tests {
namespace {

Block block_of(const std::array<int, 3>& cells) {
  Problem p;
  p.dimension = cells[2] > 0 ? 3 : 2;
  p.nodes = {};
  for (std::size_t d = 0; d < 3; ++d)
    if (cells[d] > 0) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
  return make_block(p);
}

TEST(Sharing, CutsSlabsAcrossTheLastAxis) {
  for (const int processes : {2, 3, 8}) {
    EXPECT_EQ(choose_parts(block_of({512, 512, 512}), processes), (Parts{1, 1, processes}));
    // A layer across y has only slightly fewer values.
    EXPECT_EQ(choose_parts(block_of({400, 500, 330}), processes), (Parts{1, 1, processes}));
    EXPECT_EQ(choose_parts(block_of({450, 612, 333}), processes), (Parts{1, 1, processes}));
  }
  EXPECT_EQ(choose_parts(block_of({300, 300, 0}), 2), (Parts{1, 2, 1}));
}

TEST(Sharing, CutsAnotherAxisWhereItExchangesClearlyLess) {
  EXPECT_EQ(choose_parts(block_of({450, 900, 333}), 2), (Parts{1, 2, 1}));
  EXPECT_EQ(choose_parts(block_of({512, 512, 64}), 4), (Parts{1, 4, 1}));
  EXPECT_EQ(choose_parts(block_of({2048, 128, 128}), 4), (Parts{4, 1, 1}));
  EXPECT_EQ(choose_parts(block_of({2000, 200, 0}), 4), (Parts{4, 1, 1}));
  // An axis that must not be cut is skipped.
  EXPECT_EQ(choose_parts(block_of({450, 900, 333}), 2, {false, true, false}), (Parts{1, 1, 2}));
}

TEST(Sharing, CutsBlocksWhereSlabsAreTooManyOrTooThin) {
  EXPECT_EQ(choose_parts(block_of({256, 256, 256}), 16), (Parts{1, 4, 4}));
  EXPECT_EQ(choose_parts(block_of({24, 24, 24}), 4), (Parts{1, 2, 2}));
  EXPECT_EQ(choose_parts(block_of({8, 8, 8}), 8), (Parts{2, 2, 2}));
  EXPECT_THROW(choose_parts(block_of({6, 6, 6}), 8), InputError);
}

}  // namespace
}  // namespace poisson::sharing_tests
