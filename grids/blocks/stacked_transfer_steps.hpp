#pragma once

#include <cstdint>

#include "grids/blocks/stacked_tables.hpp"

/// Contains the steps of transfers between levels of stacked blocks as functions of a node.
namespace poisson {

/// Contains linear interpolation along an axis (AxisInterpolation).
struct AxisTable {
  const int* index;  ///< of each fine node: the coarse node before it
  const double* t;   ///< of each fine node
  const int* start;  ///< of each coarse node: its first share
  const int* node;   ///< of each share: the fine node
  const double* weight;
};

/// Interpolates to a pack of nodes of a fine block. Nodes at ends are written by the block that owns them.
template <class T, bool adds>
struct ProlongPack {
  static constexpr int width = 4;
  BlockShape fine;
  GroupMemory to, from;
  AxisTable axis[3];
  bool flat;                  ///< blocks are in the plane
  const std::int64_t* owner;  ///< of each slot: the place of its value, or −1
  const T* coarse;
  T* out;
  const double* scale;  ///< null: 1
  int packs;            ///< of a line
  Division by_packs;

  constexpr void operator()(std::int64_t n) const {
    const int c = static_cast<int>(n), line = by_packs(c), i = (c - line * packs) * width, plane = fine.by_plane(line),
              j = line - plane * fine.n[1], patch = plane / fine.n[2], k = plane - patch * fine.n[2];
    const int first = axis[0].index[i];
    const T* const at = coarse + from.at(patch, first, axis[1].index[j], flat ? 0 : axis[2].index[k]);
    const T y = static_cast<T>(axis[1].t[j]), z = flat ? T(0) : static_cast<T>(axis[2].t[k]),
            factor = scale ? static_cast<T>(*scale) : T(1);
    // Values of the coarse line through the pack. Those that no node needs may be padding.
    T value[width + 1];
    for (int m = 0; m <= width; ++m) {
      value[m] = (T(1) - y) * at[m] + y * at[m + from.sy];
      if (z != T(0))
        value[m] = (T(1) - z) * value[m] + z * ((T(1) - y) * at[m + from.sz] + y * at[m + from.sz + from.sy]);
    }
    const bool inside =
        j > 0 && j + 1 < fine.n[1] && (flat || (k > 0 && k + 1 < fine.n[2])) && i > 0 && i + width < fine.n[0];
    Pack<T, width> made{};
    for (int l = 0; l < width && i + l < fine.n[0]; ++l) {
      const int before = axis[0].index[i + l] - first;
      const T x = static_cast<T>(axis[0].t[i + l]);
      T low = value[0], high = value[1];
      for (int m = 1; m < width; ++m) {
        low = before == m ? value[m] : low;
        high = before == m ? value[m + 1] : high;
      }
      made.value[l] = factor * (x == T(0) ? low : (T(1) - x) * low + x * high);
    }
    T* const own = out + to.at(patch, i, j, k);
    if (inside) {
      if constexpr (adds) {
        const Pack<T, width> old = load_pack<width>(own);
        for (int l = 0; l < width; ++l) made.value[l] += old.value[l];
      }
      return store_pack(own, made);
    }
    for (int l = 0; l < width && i + l < fine.n[0]; ++l) {
      const int slot = fine.slot({patch, fine.number(i + l, j, k), i + l, j, k});
      const std::int64_t place = slot < 0 ? to.at(patch, i + l, j, k) : owner[slot];
      if (place >= 0) out[place] = adds ? out[place] + made.value[l] : made.value[l];
    }
  }
};

/// Restricts to a node of a coarse block. Each fine node at an end counts in the block that owns it.
template <class T>
struct RestrictNode {
  BlockShape coarse, fine;
  GroupMemory from, to;
  AxisTable axis[3];
  bool flat;
  const int* owns;  ///< of each block of the group: bit p is set if it owns the part at place p
  const T* values;
  T *slots, *out;
  const double* scale;

  constexpr int side(int i, int n) const { return i == 0 ? 0 : i == n - 1 ? 2 : 1; }
  /// Returns the sum over the fine nodes that a node gets shares of, if there are two or three along each axis. It
  /// reads three, of which the last may lie behind the block.
  constexpr T few_shares(const BlockShape::Node& at) const {
    const int mask = owns[at.patch], of_node[3] = {at.i, at.j, at.k};
    int node[3] = {}, row[3][3] = {};  // the first fine node, and sides of the block as `owns` counts them
    T weight[3][3] = {{}, {}, {T(1)}};
    for (int d = 0; d < (flat ? 2 : 3); ++d) {
      const int first = axis[d].start[of_node[d]], count = axis[d].start[of_node[d] + 1] - first;
      node[d] = axis[d].node[first];
      for (int a = 0; a < 3; ++a) {
        weight[d][a] = a < count ? static_cast<T>(axis[d].weight[first + a]) : T(0);
        row[d][a] = a < count ? side(node[d] + a, fine.n[d]) : 1;
      }
    }
    // Places behind a block have zero weights.
    const T* const own = values + from.at(at.patch, node[0], node[1], node[2]);
    T sum = 0;
    for (int c = 0; c < 3; ++c) {
      if (flat && c > 0) break;
      T plane = 0;
      for (int b = 0; b < 3; ++b) {
        const T* const line = own + b * from.sy + c * from.sz;
        T part = 0;
        for (int a = 0; a < 3; ++a) {
          const bool counts = mask >> ((flat ? 0 : 9 * row[2][c]) + 3 * row[1][b] + row[0][a]) & 1;
          part += (counts ? weight[0][a] : T(0)) * line[a];
        }
        plane += weight[1][b] * part;
      }
      sum += weight[2][c] * plane;
    }
    return sum;
  }
  constexpr T shares(const BlockShape::Node& at) const {
    const int mask = owns[at.patch];
    T sum = 0;
    const int last_z = flat ? 1 : axis[2].start[at.k + 1];
    for (int c = flat ? 0 : axis[2].start[at.k]; c < last_z; ++c) {
      const int k = flat ? 0 : axis[2].node[c], place_z = flat ? 0 : 9 * side(k, fine.n[2]);
      T plane = 0;
      for (int b = axis[1].start[at.j]; b < axis[1].start[at.j + 1]; ++b) {
        const int j = axis[1].node[b], place_y = place_z + 3 * side(j, fine.n[1]);
        T line = 0;
        for (int a = axis[0].start[at.i]; a < axis[0].start[at.i + 1]; ++a) {
          const int i = axis[0].node[a];
          if (mask >> (place_y + side(i, fine.n[0])) & 1)
            line += static_cast<T>(axis[0].weight[a]) * values[from.at(at.patch, i, j, k)];
        }
        plane += static_cast<T>(axis[1].weight[b]) * line;
      }
      sum += flat ? plane : static_cast<T>(axis[2].weight[c]) * plane;
    }
    return sum;
  }
  constexpr void operator()(std::int64_t number) const {
    const BlockShape::Node at = coarse.node(number);
    const auto is_few = [this](int d, int n) {
      const int count = axis[d].start[n + 1] - axis[d].start[n];
      return count == 2 || count == 3;
    };
    const bool few = is_few(0, at.i) && is_few(1, at.j) && (flat || is_few(2, at.k));
    T sum = few ? few_shares(at) : shares(at);
    if (scale) sum *= static_cast<T>(*scale);
    if (const int slot = coarse.slot(at); slot >= 0)
      slots[slot] = sum;
    else
      out[to.at(at.patch, at.i, at.j, at.k)] = sum;
  }
};

/// Copies between values of blocks and rows.
template <class T>
struct GatherRow {
  const std::int64_t *row, *place;  ///< of each unknown
  const T* fine;
  T* coarse;
  double factor;
  const double* scale;
  constexpr void operator()(std::int64_t n) const {
    coarse[row[n]] = static_cast<T>(factor * (scale ? *scale : 1.0)) * fine[place[n]];
  }
};
template <class T, bool adds>
struct ScatterRow {
  const std::int64_t *row, *place;
  const T* coarse;
  T* fine;
  const double* scale;
  constexpr void operator()(std::int64_t n) const {
    const T value = (scale ? static_cast<T>(*scale) : T(1)) * coarse[row[n]];
    fine[place[n]] = adds ? fine[place[n]] + value : value;
  }
};

}  // namespace poisson
