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

/// Interpolates to a node of a fine block. Nodes at ends are written by the block that owns them.
template <class T, bool adds>
struct ProlongNode {
  BlockShape fine;
  GroupMemory to, from;
  AxisTable axis[3];
  bool flat;                  ///< blocks are in the plane
  const std::int64_t* owner;  ///< of each slot: the place of its value, or −1
  const T* coarse;
  T* out;
  const double* scale;  ///< null: 1

  constexpr void operator()(std::int64_t n) const {
    const BlockShape::Node at = fine.node(n);
    const int slot = fine.slot(at);
    const std::int64_t place = slot < 0 ? to.at(at.patch, at.i, at.j, at.k) : owner[slot];
    if (place < 0) return;
    const T* const c =
        coarse + from.at(at.patch, axis[0].index[at.i], axis[1].index[at.j], flat ? 0 : axis[2].index[at.k]);
    const T x = static_cast<T>(axis[0].t[at.i]), y = static_cast<T>(axis[1].t[at.j]),
            z = flat ? T(0) : static_cast<T>(axis[2].t[at.k]);
    const auto plane = [&](const T* v) {
      const T low = (T(1) - x) * v[0] + x * v[1], high = (T(1) - x) * v[from.sy] + x * v[from.sy + 1];
      return (T(1) - y) * low + y * high;
    };
    T value = plane(c);
    if (z != T(0)) value = (T(1) - z) * value + z * plane(c + from.sz);
    if (scale) value *= static_cast<T>(*scale);
    out[place] = adds ? out[place] + value : value;
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
  constexpr void operator()(std::int64_t number) const {
    const BlockShape::Node at = coarse.node(number);
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
