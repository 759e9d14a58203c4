// Blocks of an arena must not overlap. They are reused, and a piece is freed with its last block.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/arena.hpp"

namespace poisson::arena_tests {
namespace {

/// Provides an arena on host memory that counts its allocations.
class ArenaTest : public testing::Test {
 protected:
  std::map<void*, std::size_t> allocated;
  int takes = 0;
  std::size_t limit = std::size_t{1} << 30;
  Arena arena{[this](std::size_t bytes) {
                std::size_t sum = bytes;
                for (const auto& [piece, own] : allocated) sum += own;
                if (sum > limit) throw std::bad_alloc();
                void* const piece = std::aligned_alloc(512, bytes);
                allocated[piece] = bytes;
                ++takes;
                return piece;
              },
              [this](void* piece) {
                allocated.erase(piece);
                std::free(piece);
              }};
};

TEST_F(ArenaTest, ServesAReservationFromOnePiece) {
  arena.reserve(10 << 20);
  EXPECT_EQ(takes, 1);
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(arena.allocate(1 << 20));
  EXPECT_EQ(takes, 1);
  EXPECT_EQ(arena.pieces(), 1);
  blocks.push_back(arena.allocate(1));
  EXPECT_EQ(takes, 2);
  for (void* const block : blocks) arena.release(block);
  EXPECT_TRUE(allocated.empty());
}

TEST_F(ArenaTest, ReusesFreeMemoryForAReservation) {
  void* const keep = arena.allocate(1);
  arena.reserve(1000);
  EXPECT_EQ(takes, 1);
  arena.release(keep);
}

TEST_F(ArenaTest, GivesSmallBlocksOnePiece) {
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(arena.allocate(8));
  EXPECT_EQ(takes, 1);
  for (void* const block : blocks) arena.release(block);
  EXPECT_EQ(arena.pieces(), 0);
}

TEST_F(ArenaTest, ReusesPiecesThatItKeeps) {
  arena.keep();
  arena.release(arena.allocate(10 << 20));
  EXPECT_EQ(arena.pieces(), 1);
  void* const block = arena.allocate(8 << 20);
  EXPECT_EQ(takes, 1);
  arena.stop_keeping();
  EXPECT_EQ(arena.pieces(), 1);
  arena.release(block);
  EXPECT_EQ(arena.pieces(), 0);
}

TEST_F(ArenaTest, FreesPiecesThatItKeepsIfMemoryRunsOut) {
  arena.keep();
  arena.release(arena.allocate(10 << 20));
  limit = 15 << 20;
  void* const block = arena.allocate(12 << 20);
  EXPECT_EQ(arena.pieces(), 1);
  arena.release(block);
  arena.stop_keeping();
  EXPECT_EQ(arena.pieces(), 0);
}

TEST_F(ArenaTest, KeepsItsBlocksIfMemoryRunsOut) {
  void* const block = arena.allocate(100);
  EXPECT_THROW(arena.allocate(std::size_t{1} << 40), std::bad_alloc);
  EXPECT_THROW(arena.reserve(std::size_t{1} << 40), std::bad_alloc);
  std::memset(block, 1, 100);
  arena.release(block);
  EXPECT_TRUE(allocated.empty());
}

TEST_F(ArenaTest, BlocksOfAnyOrderStayApart) {
  std::mt19937 random(3);
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  arena.reserve(1 << 20);
  for (int turn = 0; turn < 20000; ++turn) {
    if (blocks.size() < 200 && random() % 2 == 0) {
      const std::size_t bytes = random() % 20000;
      auto* const block = static_cast<unsigned char*>(arena.allocate(bytes));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 512, 0U);
      std::memset(block, static_cast<int>(bytes % 251), bytes);
      blocks.emplace_back(block, bytes);
    } else if (!blocks.empty()) {
      const std::size_t which = random() % blocks.size();
      const auto [block, bytes] = blocks[which];
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], bytes % 251) << "another block wrote here";
      arena.release(block);
      blocks[which] = blocks.back();
      blocks.pop_back();
    }
  }
  std::size_t largest = 0;
  for (const auto& [piece, bytes] : allocated) largest += bytes;
  EXPECT_LE(largest, 8U << 20) << "free blocks are not found again";
  for (const auto& [block, bytes] : blocks) arena.release(block);
  EXPECT_TRUE(allocated.empty());
}

}  // namespace
}  // namespace poisson::arena_tests
