#pragma once

#include "grids/blocks/stacked_steps.hpp"

namespace poisson {

/// Runs the product of blocks with TensorFactors without mixed entries of the metric, in space: of rectilinear cells
/// with a scalar or diagonal κ. Each thread has a column of some nodes along z and sums the lines of a plane once for
/// three of them. Values are taken relative to the first one of the column, as differences of neighbours would be.
template <class T, class End>
struct MarchAxes {
  static constexpr int depth = 8;
  BlockShape shape;
  GroupMemory memory, result;
  const T* table[3];  ///< TensorProductOfBlock
  const T* constants;
  int chunks;
  Division by_plane, by_chunks;
  const T* u;
  T* slots;
  End end;

  MarchAxes(const BlockShape& of, const GroupMemory& from, const GroupMemory& to, const T* const (&tables)[3],
            const T* values, const T* x, T* ends, const End& put)
      : shape(of),
        memory(from),
        result(to),
        table{tables[0], tables[1], tables[2]},
        constants(values),
        chunks((of.n[2] + depth - 1) / depth),
        by_plane(of.n[0] * of.n[1]),
        by_chunks((of.n[2] + depth - 1) / depth),
        u(x),
        slots(ends),
        end(put) {}
  std::int64_t columns() const { return std::int64_t{shape.n[0]} * shape.n[1] * chunks * shape.patches; }

  // Sums over the lines of a plane: of what the mass of z multiplies, and of what its stiffness does.
  struct Sums {
    T mass = 0, stiffness = 0;
  };
  struct Row {
    T k0, k1, m0, m, m1;  ///< stiffness to the node before and after; entries of the mass
  };
  constexpr Row row(int d, int patch, int place) const {
    const int n = shape.n[d];
    const T* const k = table[d] + std::int64_t{patch} * (3 * (n + 1)) + place;
    return {k[0], k[1], k[n + 1], k[2 * (n + 1)], k[n + 2]};
  }
  constexpr void operator()(std::int64_t c) const {
    const int q = static_cast<int>(c), outer = by_plane(q), in_plane = q - outer * shape.n[0] * shape.n[1],
              patch = by_chunks(outer), first = (outer - patch * chunks) * depth, j = shape.by_line(in_plane),
              i = in_plane - j * shape.n[0], last = first + depth < shape.n[2] ? first + depth : shape.n[2];
    const T* const g = constants + std::int64_t{patch} * 8;
    const Row x = row(0, patch, i), y = row(1, patch, j);
    const T gx = g[0], gy = g[1], gz = g[2], sigma = g[6], width = (x.m0 + x.m + x.m1) * (y.m0 + y.m + y.m1);
    const T* const column = u + memory.at(patch, i, j, 0);
    const T origin = column[first * memory.sz];
    const auto sums = [&](int k) {
      const T* const own = column + k * memory.sz;
      T stiff[3] = {}, mass[3] = {};
      for (int l = 0; l < 3; ++l) {
        const T* const line = own + (l - 1) * memory.sy;
        const T before = line[-1] - origin, here = line[0] - origin, after = line[1] - origin;
        stiff[l] = x.k0 * (here - before) + x.k1 * (here - after);
        mass[l] = x.m0 * before + x.m * here + x.m1 * after;
      }
      Sums sum;
      sum.stiffness = y.m0 * mass[0] + y.m * mass[1] + y.m1 * mass[2];
      sum.mass = gx * (y.m0 * stiff[0] + y.m * stiff[1] + y.m1 * stiff[2]) +
                 gy * (y.k0 * (mass[1] - mass[0]) + y.k1 * (mass[1] - mass[2])) + sigma * sum.stiffness;
      return sum;
    };
    // Planes beyond the ends of a block have zero entries.
    Sums before{}, here = sums(first);
    if (first > 0) before = sums(first - 1);
    for (int k = first; k < last; ++k) {
      Sums after{};
      if (k + 1 < shape.n[2]) after = sums(k + 1);
      const Row z = row(2, patch, k);
      const T value = z.m0 * before.mass + z.m * here.mass + z.m1 * after.mass +
                      gz * (z.k0 * (here.stiffness - before.stiffness) + z.k1 * (here.stiffness - after.stiffness)) +
                      sigma * width * (z.m0 + z.m + z.m1) * origin;
      before = here;
      here = after;
      const BlockShape::Node at{patch, shape.number(i, j, k), i, j, k};
      if (const int slot = shape.slot(at); slot >= 0)
        slots[slot] = value;
      else
        end.put(memory.at(patch, i, j, k), result.at(patch, i, j, k), value);
    }
  }
};

}  // namespace poisson
