#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Selects how a grid of blocks walks over a square of `size` × `size` elements (a power of two). Block b processes the
/// lines b, b + blocks, …; its thread t processes the places t, t + threads, … of each. A line is a row, a column, or
/// `size` elements scattered over the square.
enum class Walk2 { rows, columns, random };
inline constexpr std::array walk_names{"rows", "columns", "random"};

struct Place2 {
  int row, column;
};
constexpr Place2 place_of(Walk2 walk, int line, int place, int size) {
  if (walk == Walk2::rows) return {line, place};
  if (walk == Walk2::columns) return {place, line};
  // An odd multiple modulo a power of two visits every element once.
  const std::uint64_t order =
      static_cast<std::uint64_t>(line) * static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(place);
  const std::uint64_t scattered =
      (order * 0x9e3779b1u + 12345u) % (static_cast<std::uint64_t>(size) * static_cast<std::uint64_t>(size));
  return {static_cast<int>(scattered / static_cast<std::uint64_t>(size)),
          static_cast<int>(scattered % static_cast<std::uint64_t>(size))};
}

/// Describes a grid of blocks of threads.
struct Blocks {
  int blocks = 0, threads = 0;
  constexpr std::int64_t size() const { return std::int64_t{blocks} * threads; }
};

/// The oracle returns the sum of one thread over a square of noise_float with `lanes` floats per element. The fixed
/// order and pure additions make the sum bitwise reproducible; lanes are added last.
struct WalkSum {
  Walk2 walk = Walk2::rows;
  int size = 0, lanes = 1;
  Blocks grid;
  constexpr float operator()(std::int64_t number) const {
    const int block = static_cast<int>(number / grid.threads), thread = static_cast<int>(number % grid.threads);
    float sum[4] = {};
    for (int line = block; line < size; line += grid.blocks)
      for (int place = thread; place < size; place += grid.threads) {
        const Place2 at = place_of(walk, line, place, size);
        for (int lane = 0; lane < lanes; ++lane)
          sum[lane] +=
              noise_float(static_cast<std::uint64_t>((std::int64_t{at.row} * size + at.column) * lanes + lane));
      }
    return lanes == 1 ? sum[0] : (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

/// The names of the load paths, which are part of variant names such as "float, rows, plain".
inline constexpr std::array path_names{"plain", "linear texture", "array texture"};

/// Returns the name of a variant.
inline std::string walk_variant(std::string_view element, std::string_view walk, std::string_view path) {
  return std::string(element) + ", " + std::string(walk) + ", " + std::string(path);
}

/// Derives conclusions from the panels "best" (bars, each with its best grid), "then" (with the lecture's grids),
/// "threads" and "blocks" (GB/s over one of them), "offset" and "chase".
std::vector<std::string> conclude_texture(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
