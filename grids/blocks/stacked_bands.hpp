#pragma once

#include <cstdint>

#include "backends/memory/round_up.hpp"
#include "grids/blocks/narrow.hpp"
#include "grids/blocks/stacked_steps.hpp"

/// Contains products with stored bands. A thread serves some neighbouring nodes along x, whose entries and values it
/// loads at once.
namespace poisson {

/// Locates the bands of a group: by block, plane, forward offset, line and node. Lines begin at multiples of `align`
/// values. A line of zeros stands behind each plane, and in space a plane before all, so that entries which would leave
/// a block are found and are zero.
struct BandPlaces {
  static constexpr int align = 4;
  int offsets = 0, line = 0, pitch = 0;
  std::int64_t front = 0;

  constexpr BandPlaces(const BlockShape& shape, int forward) : offsets(forward) {
    line = round_up(shape.n[0], align);
    pitch = round_up(line * (shape.n[1] + 1), 16);
    front = (shape.n[2] > 1 ? std::int64_t{offsets} * pitch : 0) + round_up(line + align, 16);
  }
  constexpr std::int64_t plane(const BlockShape& shape, int patch, int k) const {
    return front + (std::int64_t{patch} * shape.n[2] + k) * offsets * pitch;
  }
  /// Returns the place of a node's entry to the neighbour of a code (forward_offsets), less that of code 1.
  constexpr std::int64_t at(const BlockShape& shape, const BlockShape::Node& node) const {
    return plane(shape, node.patch, node.k) + node.i + std::int64_t{line} * node.j;
  }
  constexpr std::int64_t count(const BlockShape& shape) const { return plane(shape, shape.patches, 0) + line + align; }
};

/// Reads entries that are stored as S, in packs of some nodes.
template <class T, class S = T, int of_pack = sizeof(T) == 4 ? 4 : 2>
struct StoredEntries {
  using Value = T;
  static constexpr int width = of_pack;
  /// Threads of small levels load all values at once, which takes registers; others share a multiprocessor.
  static constexpr int resident_blocks = width == 1 ? 1 : 3;
  const S* values;

  constexpr T at(std::int64_t place) const { return static_cast<T>(values[place]); }
  constexpr Pack<T, width> pack(std::int64_t place) const {
    const Pack<S, width> stored = load_pack<width>(values + place);
    Pack<T, width> made{};
    for (int l = 0; l < width; ++l) made.value[l] = static_cast<T>(stored.value[l]);
    return made;
  }
};
/// Loads four lower parts of floats.
constexpr FourRests load_rests(const ShortRest* from) {
  const Pack<ShortRest, 4> lower = load_pack<4>(from);
  return {{lower.value[0].bits, lower.value[1].bits, lower.value[2].bits, lower.value[3].bits}};
}
/// Reads entries in fp64 that are stored in two parts.
template <class Upper, class Rest>
struct PairedEntries {
  using Value = double;
  static constexpr int width = 4, resident_blocks = 2;
  const Upper* high;
  const Rest* rest;

  constexpr double at(std::int64_t place) const { return rest[place].with(high[place]); }
  constexpr Pack<double, width> pack(std::int64_t place) const {
    const Pack<Upper, width> upper = load_pack<width>(high + place);
    const FourRests lower = load_rests(rest + place);
    Pack<double, width> made{};
    for (int l = 0; l < width; ++l) made.value[l] = Rest::join(upper.value[l], lower.bits[l]);
    return made;
  }
};

/// Runs a product with bands (BlockMatrix). A thread has a column of packs along z, so that entries to the plane below
/// are still in the cache when they are read a second time. Entries between nodes of a cell are sums of differences.
/// Values beyond the ends of a block are zero and have zero entries.
template <class Entries, int dimension, class End>
struct MarchBands {
  using T = typename Entries::Value;
  static constexpr int width = Entries::width, offsets = dimension == 2 ? 4 : 13;
  static constexpr int resident_blocks = Entries::resident_blocks;  ///< of threads, whose registers are reserved
  BlockShape shape;
  GroupMemory memory, result;
  Entries entries;
  const T* sums;  ///< null: 0
  BandPlaces places;
  int packs, depth, chunks;
  Division by_packs, by_plane, by_chunks;
  const T* u;
  T* slots;
  End end;

  MarchBands(const BlockShape& of, const GroupMemory& from, const GroupMemory& to, const Entries& bands,
             const T* of_rows, const T* x, T* ends, const End& put)
      : shape(of),
        memory(from),
        result(to),
        entries(bands),
        sums(of_rows),
        places(of, offsets),
        packs(divide_up(of.n[0], width)),
        depth(depth_of(of, packs)),
        chunks(divide_up(of.n[2], depth)),
        by_packs(packs),
        by_plane(packs * of.n[1]),
        by_chunks(chunks),
        u(x),
        slots(ends),
        end(put) {}
  std::int64_t columns() const { return std::int64_t{packs} * shape.n[1] * chunks * shape.patches; }

  constexpr void operator()(std::int64_t column) const {
    const int c = static_cast<int>(column), outer = by_plane(c), in_plane = c - outer * packs * shape.n[1],
              patch = by_chunks(outer), first = (outer - patch * chunks) * depth, j = by_packs(in_plane),
              i = (in_plane - j * packs) * width, last = first + depth < shape.n[2] ? first + depth : shape.n[2];
    for (int k = first; k < last; ++k) visit({patch, shape.number(i, j, k), i, j, k});
  }

 private:
  // Columns are cut until there are enough of them.
  static int depth_of(const BlockShape& of, int packs) {
    constexpr std::int64_t enough = 400'000, most = 8;
    const std::int64_t all = std::int64_t{packs} * of.n[1] * of.n[2] * of.patches;
    const auto depth = static_cast<int>(all / enough < 1 ? 1 : all / enough > most ? most : all / enough);
    return divide_up(of.n[2], divide_up(of.n[2], depth));
  }
  struct Line {
    T value[width + 2];  ///< with the neighbours of the pack
  };
  constexpr Line line_at(const T* at) const {
    Line line{};
    const Pack<T, width> own = load_pack<width>(at);
    line.value[0] = at[-1];
    for (int l = 0; l < width; ++l) line.value[l + 1] = own.value[l];
    line.value[width + 1] = at[width];
    return line;
  }
  // Returns the entries of the nodes at x = −1, 0 or 1 beside those of a pack.
  template <int x>
  constexpr Pack<T, width> entries_at(std::int64_t place) const {
    if constexpr (width == 1) return {{entries.at(place + x)}};
    const Pack<T, width> own = entries.pack(place);
    if constexpr (x == 0) return own;
    Pack<T, width> moved{};
    for (int l = 0; l < width; ++l)
      if (l + x >= 0 && l + x < width) moved.value[l] = own.value[l + x];
    moved.value[x < 0 ? 0 : width - 1] = entries.at(place + (x < 0 ? -1 : width));
    return moved;
  }
  constexpr void visit(const BlockShape::Node& at) const {
    const T* const own = u + memory.at(at.patch, at.i, at.j, at.k);
    const std::int64_t place = places.at(shape, at), below = place - std::int64_t{offsets} * places.pitch;
    const Line here = line_at(own);
    T sum[width] = {};
    const auto add = [&](const Pack<T, width>& a, const Line& line, int x) {
      for (int l = 0; l < width; ++l) sum[l] += a.value[l] * (line.value[l + 1 + x] - here.value[l + 1]);
    };
    constexpr int lines = dimension == 2 ? 3 : 9;
    unrolled<lines>([&](auto number) {
      constexpr int n = number() - lines / 2, y = (n + 4) % 3 - 1, z = (n + 4) / 3 - 1, code = 3 * y + 9 * z;
      if constexpr (n == 0) {
        add(entries.pack(place), here, 1);
        add(entries_at<-1>(place), here, -1);
      } else {
        const Line line = line_at(own + y * memory.sy + z * memory.sz);
        unrolled<3>([&](auto side) {
          constexpr int x = side() - 1;
          if constexpr (code > 0) {
            add(entries.pack(place + std::int64_t{code + x - 1} * places.pitch), line, x);
          } else {  // the entry of the neighbour to the node
            const std::int64_t from = z == 0 ? place : below;
            add(entries_at<x>(from + std::int64_t{-code - x - 1} * places.pitch + std::int64_t{y} * places.line), line,
                x);
          }
        });
      }
    });
    if (sums)
      for (int l = 0; l < width && at.i + l < shape.n[0]; ++l)
        sum[l] += sums[std::int64_t{at.patch} * shape.nodes + at.number + l] * here.value[l + 1];
    put(at, sum);
  }
  // Ends inside blocks take a complete pack.
  constexpr void put(const BlockShape::Node& at, const T (&sum)[width]) const {
    const std::int64_t from = memory.at(at.patch, at.i, at.j, at.k), to = result.at(at.patch, at.i, at.j, at.k);
    const bool inside = at.i > 0 && at.i + width < shape.n[0] && at.j > 0 && at.j + 1 < shape.n[1] &&
                        (dimension == 2 || (at.k > 0 && at.k + 1 < shape.n[2]));
    if (inside) {
      Pack<T, width> values{};
      for (int l = 0; l < width; ++l) values.value[l] = sum[l];
      return end.put_pack(from, to, values);
    }
    for (int l = 0; l < width && at.i + l < shape.n[0]; ++l) {
      const int slot = shape.slot({at.patch, at.number + l, at.i + l, at.j, at.k});
      if (slot >= 0)
        slots[slot] = sum[l];
      else
        end.put(from + l, to + l, sum[l]);
    }
  }
};

}  // namespace poisson
