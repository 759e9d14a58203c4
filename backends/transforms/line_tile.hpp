#pragma once

#include <cstddef>

#include "backends/transforms/trig_transform.hpp"

/// These functions define how a block of a GPU transforms a tile of lines in shared memory. They use no CUDA, so the
/// host can test them.
namespace poisson {

/// Maps rows and pairs of lines to places in shared memory; a row stores one complex number for each pair. Eight fp64
/// numbers, such as the pairs of a row, fill all banks of the memory.
///
/// Along x, threads access successive values of one pair, or coefficients in digit-reversed order, whose rows are n/8
/// apart. Numbers are therefore permuted within each group of eight by the bits in which those rows differ. Neither
/// access then has bank conflicts.
struct TileShape {
  int log_pairs = 0;
  bool permuted = false;

  constexpr int pairs() const { return 1 << log_pairs; }
  constexpr int at(int row, int pair) const {
    const int plain = (row << log_pairs) + pair;
    return permuted ? plain ^ ((plain >> 3 ^ plain >> 6 ^ plain >> 9) & 7) : plain;
  }
  /// Returns the numbers that `rows` rows occupy.
  constexpr int numbers(int rows) const { return ((rows << log_pairs) + 7) / 8 * 8; }
};

/// Describes the work of a thread of a block: some pieces of one pair.
struct TileThread {
  Team team;
  int pair = 0;
};
/// During the passes, neighbouring threads process the pairs of a row.
constexpr TileThread passing_thread(TileShape shape, int thread, int threads) {
  return {{thread >> shape.log_pairs, threads >> shape.log_pairs}, thread & (shape.pairs() - 1)};
}
/// The same applies while values are loaded and stored, except along x: there a warp processes successive values of a
/// pair. A block has at least as many warps as pairs.
constexpr TileThread moving_thread(TileShape shape, int thread, int threads, bool contiguous) {
  if (!contiguous) return passing_thread(shape, thread, threads);
  const int warp = thread / 32;
  return {{thread % 32 + 32 * (warp >> shape.log_pairs), threads >> shape.log_pairs}, warp & (shape.pairs() - 1)};
}

/// Calls f(piece) for the pieces of a team member. A GPU may issue the loads of `ahead` pieces together. The first and
/// the last piece differ from the others, so one member processes each.
template <int ahead = 1, class F>
constexpr void each_piece(int n, const Team& team, const F& f) {
#ifdef __CUDA_ARCH__
#pragma unroll ahead
#endif
  for (int k = 1 + team.first; k < n / 2; k += team.step) f(Piece<true>{k});
  if (team.first == 0) f(Piece<false>{0});
  if (n > 1 && team.first == (team.step > 1 ? 1 : 0)) f(Piece<false>{n / 2});
}

/// Bytes of rows per block: three blocks with `shared_tile` share a multiprocessor; a block with `whole_tile` uses it
/// alone. Sums need additional bytes in both.
inline constexpr std::size_t shared_tile = std::size_t{71} << 10, whole_tile = std::size_t{216} << 10;
inline constexpr int threads_of_shared = 256, threads_of_whole = 512;

/// Returns the shape of a tile of `rows` rows. Lines along y and z are adjacent in memory, so four fp64 pairs access 64
/// contiguous bytes. To reach this width, a tile may use the entire multiprocessor.
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
