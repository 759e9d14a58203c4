#pragma once

#include <cstdint>

#include "grids/blocks/stacked_steps.hpp"

/// Contains the solution of lines of stacked blocks, as functions of a line or of a thread in a plane.
namespace poisson {

/// Contains the factors of the lines of an axis by block and node. Those along x are stored across lines: by block,
/// place on the line, and line.
template <class T>
struct LineFactors {
  const T *inverse, *lower;
};

/// Solves LDLᵀ z = r on a line: from(m) is r, keep(m, y) and kept(m) store what the first half finds, and put(m, z)
/// ends it. Factors are loaded in batches, because stores must not come between loads.
template <class T, class From, class Keep, class Kept, class Lower, class Inverse, class Put>
constexpr void solve_line(int count, const From& from, const Keep& keep, const Kept& kept, const Lower& lower,
                          const Inverse& inverse, const Put& put) {
  constexpr int batch = 8;
  T y = 0;
  for (int first = 0; first < count; first += batch) {
    T r[batch] = {}, l[batch] = {};
    unrolled<batch>([&](auto b) {
      const int m = first + b();
      if (m >= count) return;
      r[b()] = from(m);
      l[b()] = m > 0 ? lower(m - 1) : T(0);
    });
    unrolled<batch>([&](auto b) {
      if (first + b() >= count) return;
      y = r[b()] - l[b()] * y;
      keep(first + b(), y);
    });
  }
  T z = 0;
  for (int last = count - 1; last >= 0; last -= batch) {
    T half[batch] = {}, l[batch] = {}, over[batch] = {};
    unrolled<batch>([&](auto b) {
      const int m = last - b();
      if (m < 0) return;
      half[b()] = kept(m);
      l[b()] = lower(m);
      over[b()] = inverse(m);
    });
    unrolled<batch>([&](auto b) {
      if (last - b() < 0) return;
      z = half[b()] * over[b()] - l[b()] * z;
      put(last - b(), z);
    });
  }
}

/// Solves on a line of blocks along an axis. The last axis ends with the sum over all axes.
template <class T, int axis, bool first, bool last, class End>
struct SolveLine {
  BlockShape shape;
  GroupMemory memory;
  LineFactors<T> factors;
  Division by_lines;
  const T* r;
  T* z;
  T* scratch;  ///< of the nodes of the group
  T* slots;
  End end;

  constexpr int lines() const { return shape.nodes / shape.n[axis]; }
  constexpr void operator()(std::int64_t l) const {
    const int p = by_lines(static_cast<int>(l)), line = static_cast<int>(l) - p * lines();
    // Lines are numbered by the two other indices, the lower one first.
    const int across = axis == 0 ? shape.by_plane(line) : shape.by_line(line);
    BlockShape::Node at{p, 0, 0, 0, 0};
    if constexpr (axis == 0) {
      at.j = line - across * shape.n[1];
      at.k = across;
    } else {
      at.i = line - across * shape.n[0];
      (axis == 1 ? at.k : at.j) = across;
    }
    const std::int64_t start = memory.at(p, at.i, at.j, at.k), step = axis == 0 ? 1 : axis == 1 ? memory.sy : memory.sz;
    const std::int64_t block = std::int64_t{p} * shape.nodes;
    const std::int64_t from = block + (axis == 0 ? line : shape.number(at.i, at.j, at.k)),
                       next = axis == 0   ? lines()
                              : axis == 1 ? shape.n[0]
                                          : shape.n[0] * shape.n[1];
    solve_line<T>(
        shape.n[axis], [&](int m) { return r[start + m * step]; }, [&](int m, T y) { scratch[from + m * next] = y; },
        [&](int m) { return scratch[from + m * next]; }, [&](int m) { return factors.lower[from + m * next]; },
        [&](int m) { return factors.inverse[from + m * next]; },
        [&](int m, T value) {
          const std::int64_t place = start + m * step;
          const T sum = first ? value : z[place] + value;
          if constexpr (!last) {
            z[place] = sum;
          } else {
            (axis == 0 ? at.i : axis == 1 ? at.j : at.k) = m;
            if (const int slot = shape.slot(at); slot >= 0)
              slots[slot] = sum;
            else
              end.put(place, place, sum);
          }
        });
  }
};

/// Solves on the lines of a plane of a block along x and y in two copies of its nodes, which the threads of a group
/// share. In the plane it ends with the sum.
template <class T, bool last, class End>
struct SolvePlane {
  BlockShape shape;
  GroupMemory memory;
  LineFactors<T> x, y;
  const T* r;
  T* z;
  T* slots;
  End end;

  constexpr int pitch() const { return shape.n[0] | 1; }  // odd: lines along x lie in different banks
  std::size_t room() const { return 2 * static_cast<std::size_t>(pitch()) * static_cast<std::size_t>(shape.n[1]); }
  /// Runs as one of the threads for a plane; `wait` lets all of them arrive.
  template <class Wait>
  constexpr void operator()(std::int64_t plane, int thread, int threads, T* own, const Wait& wait) const {
    const int p = static_cast<int>(plane / shape.n[2]), k = static_cast<int>(plane - std::int64_t{p} * shape.n[2]),
              nodes = shape.n[0] * shape.n[1], width = pitch();
    T* const other = own + width * shape.n[1];
    for (int t = thread; t < nodes; t += threads) {
      const int j = shape.by_line(t), i = t - j * shape.n[0];
      own[i + width * j] = other[i + width * j] = r[memory.at(p, i, j, k)];
    }
    wait();
    const std::int64_t block = std::int64_t{p} * shape.nodes;
    const int second = (shape.n[1] + 31) / 32 * 32;  // lines along y belong to other warps
    for (int t = thread; t < second + shape.n[0]; t += threads) {
      if (t >= shape.n[1] && t < second) continue;
      const bool along_x = t < second;
      if (along_x)
        solve(own + width * t, 1, shape.n[0], x, block + t + std::int64_t{shape.n[1]} * k, shape.n[1] * shape.n[2]);
      else
        solve(other + (t - second), width, shape.n[1], y, block + shape.number(t - second, 0, k), shape.n[0]);
    }
    wait();
    for (int t = thread; t < nodes; t += threads) {
      const int j = shape.by_line(t), i = t - j * shape.n[0];
      const T sum = own[i + width * j] + other[i + width * j];
      const std::int64_t place = memory.at(p, i, j, k);
      if constexpr (!last) {
        z[place] = sum;
      } else if (const int slot = shape.slot({p, shape.number(i, j, k), i, j, k}); slot >= 0) {
        slots[slot] = sum;
      } else {
        end.put(place, place, sum);
      }
    }
  }

 private:
  constexpr void solve(T* line, int step, int count, const LineFactors<T>& factors, std::int64_t from, int next) const {
    solve_line<T>(
        count, [&](int m) { return line[m * step]; }, [&](int m, T value) { line[m * step] = value; },
        [&](int m) { return line[m * step]; }, [&](int m) { return factors.lower[from + std::int64_t{m} * next]; },
        [&](int m) { return factors.inverse[from + std::int64_t{m} * next]; },
        [&](int m, T value) { line[m * step] = value; });
  }
};

}  // namespace poisson
