#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/cpu/launch.hpp"
#include "backends/memory/round_up.hpp"
#include "backends/utilities/cpu/functions.hpp"

namespace poisson::cpu {
namespace {

struct Element16 {
  std::uint64_t low, high;
};

// Values along each side of a tile. A row is at least one cache line for every element size, and a tile fits into the
// L1 cache.
constexpr std::int64_t side = 32;

// Transposes through a tile on the stack. Rows whose pitch is a power of two map to few sets of the cache, so a tile
// that is read along columns would evict itself.
template <class Element>
void transpose_tile(const Element* from, std::int64_t from_pitch, Element* to, std::int64_t to_pitch, std::int64_t rows,
                    std::int64_t columns) {
  std::array<std::array<Element, side>, side> tile;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      tile[static_cast<std::size_t>(c)][static_cast<std::size_t>(r)] = from[r * from_pitch + c];
  for (std::int64_t c = 0; c < columns; ++c)
    std::copy_n(tile[static_cast<std::size_t>(c)].data(), rows, to + c * to_pitch);
}

template <class Element>
void transpose(const Transposition& s, const Element* from, Element* to) {
  const std::int64_t down = divide_up(s.rows, side), across = divide_up(s.columns, side);
  const std::int64_t tiles = s.batch * down * across;
#pragma omp parallel for schedule(static) if (s.batch * s.rows * s.columns > parallel_threshold)
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t b = tile / (down * across), r = tile / across % down * side, c = tile % across * side;
    transpose_tile(from + b * s.from_stride + r * s.from_pitch + c, s.from_pitch,
                   to + b * s.to_stride + c * s.to_pitch + r, s.to_pitch, std::min(side, s.rows - r),
                   std::min(side, s.columns - c));
  }
}

template <class Element>
void transpose_as(const Transposition& shape, const void* from, void* to) {
  transpose(shape, static_cast<const Element*>(from), static_cast<Element*>(to));
}

}  // namespace

void transpose(const Transposition& shape, const void* from, void* to) {
  if (shape.element == 4) return transpose_as<std::uint32_t>(shape, from, to);
  if (shape.element == 8) return transpose_as<std::uint64_t>(shape, from, to);
  transpose_as<Element16>(shape, from, to);
}

}  // namespace poisson::cpu
