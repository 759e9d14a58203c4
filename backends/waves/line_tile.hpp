#pragma once

#include <cstddef>

#include "backends/waves/wave_transform.hpp"

/// How a block of a GPU transforms a tile of lines in its shared memory. Free of CUDA, so that the host tests it.
namespace poisson {

/// Pairs of lines, each pair's values one complex number a row. Eight numbers of fp64, as of the pairs of a row, fill
/// all banks of the memory. Along x, where threads have successive values of one pair, or coefficients in reversed
/// digits, whose rows are n/8 apart, numbers are permuted within every eight of them by what distinguishes those rows,
/// so that neither meet in a bank.
struct TileShape {
  int log_pairs = 0;
  bool permuted = false;

  constexpr int pairs() const { return 1 << log_pairs; }
  constexpr int at(int row, int pair) const {
    const int plain = (row << log_pairs) + pair;
    return permuted ? plain ^ ((plain >> 3 ^ plain >> 6 ^ plain >> 9) & 7) : plain;
  }
  /// Numbers of so many rows.
  constexpr int numbers(int rows) const { return ((rows << log_pairs) + 7) / 8 * 8; }
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

/// f(piece) of those of a team, `ahead` of which a GPU may ask for at once. The first and the last one, which are not
/// like the others, have a member each.
template <int ahead = 1, class F>
constexpr void each_piece(int n, const Team& team, const F& f) {
#ifdef __CUDA_ARCH__
#pragma unroll ahead
#endif
  for (int k = 1 + team.first; k < n / 2; k += team.step) f(Piece<true>{k});
  if (team.first == 0) f(Piece<false>{0});
  if (n > 1 && team.first == (team.step > 1 ? 1 : 0)) f(Piece<false>{n / 2});
}

/// Bytes of the rows of a block of which three share a multiprocessor, and of one that has it alone; either needs some
/// more for sums.
inline constexpr std::size_t shared_tile = std::size_t{71} << 10, whole_tile = std::size_t{216} << 10;
inline constexpr int threads_of_shared = 256, threads_of_whole = 512;

/// The pairs of a tile of so many rows. Lines along y and z lie side by side: four pairs of fp64 are 64 bytes of memory
/// at a time, for which a tile may take the multiprocessor.
constexpr TileShape tile_shape(int rows, std::size_t bytes_of_complex, bool contiguous, int lines) {
  const auto fits = [&](int log_pairs, std::size_t limit) {
    return static_cast<std::size_t>(TileShape{log_pairs}.numbers(rows)) * bytes_of_complex <= limit;
  };
  const int least = contiguous ? 0 : bytes_of_complex == 16 ? 2 : 3;
  int log_pairs = 3;
  while (log_pairs > 0 && (2 << (log_pairs - 1)) >= lines) --log_pairs;
  while (log_pairs > least && !fits(log_pairs, shared_tile)) --log_pairs;
  while (log_pairs > 0 && !fits(log_pairs, whole_tile)) --log_pairs;
  return {log_pairs, contiguous};
}

}  // namespace poisson
