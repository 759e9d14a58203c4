#pragma once

#include <cstddef>

#include "backends/waves/fourier.hpp"

/// How a block of a GPU transforms a tile of lines in its shared memory. Free of CUDA, so that the host tests it.
namespace poisson {

/// Pairs of lines, each pair's values one complex number a row. Rows of 8 pairs of fp64 fill all banks of the memory;
/// within a row pairs are permuted by the lowest bits of its number, so that neither threads that have the pairs of a
/// row nor those that have one pair's value of successive rows meet in a bank.
struct TileShape {
  int log_pairs = 0;

  constexpr int pairs() const { return 1 << log_pairs; }
  constexpr int at(int row, int pair) const { return (row << log_pairs) + (pair ^ (row & (pairs() - 1))); }
};

/// What a thread of a block works on: pieces of a pair's work.
struct TileThread {
  Team team;
  int pair = 0;
};
/// While lines are transformed neighbouring threads have the pairs of a row.
constexpr TileThread passing_thread(TileShape shape, int thread, int threads) {
  return {{thread >> shape.log_pairs, threads >> shape.log_pairs}, thread & (shape.pairs() - 1)};
}
/// So they have while values come and go, but along x, where a warp takes successive values of a pair. There are at
/// least as many warps as pairs.
constexpr TileThread moving_thread(TileShape shape, int thread, int threads, bool contiguous) {
  if (!contiguous) return passing_thread(shape, thread, threads);
  const int warp = thread / 32;
  return {{thread % 32 + 32 * (warp >> shape.log_pairs), threads >> shape.log_pairs}, warp & (shape.pairs() - 1)};
}

/// Bytes of the rows of a block of which three share a multiprocessor, and of one that has it alone; either needs some
/// more for sums.
inline constexpr std::size_t shared_tile = std::size_t{71} << 10, whole_tile = std::size_t{216} << 10;
inline constexpr int threads_of_shared = 256, threads_of_whole = 512;

/// The pairs of a tile of so many rows. Lines along y and z lie side by side: four pairs of fp64 are 64 bytes of memory
/// at a time, for which a tile may take the multiprocessor.
constexpr TileShape tile_shape(int rows, std::size_t bytes_of_complex, bool contiguous, int lines) {
  const auto fits = [&](int log_pairs, std::size_t limit) {
    return (static_cast<std::size_t>(rows) << log_pairs) * bytes_of_complex <= limit;
  };
  const int least = contiguous ? 0 : bytes_of_complex == 16 ? 2 : 3;
  int log_pairs = 3;
  while (log_pairs > 0 && (2 << (log_pairs - 1)) >= lines) --log_pairs;
  while (log_pairs > least && !fits(log_pairs, shared_tile)) --log_pairs;
  while (log_pairs > 0 && !fits(log_pairs, whole_tile)) --log_pairs;
  return {log_pairs};
}

}  // namespace poisson
