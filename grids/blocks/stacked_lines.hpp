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

/// Returns the first node of a line of a block. Lines along an axis are numbered by the two other indices, the lower
/// one first.
constexpr BlockShape::Node line_start(const BlockShape& shape, int axis, int patch, int line) {
  const int across = axis == 0 ? shape.by_plane(line) : shape.by_line(line);
  BlockShape::Node at{patch, 0, 0, 0, 0};
  if (axis == 0) {
    at.j = line - across * shape.n[1];
    at.k = across;
  } else {
    at.i = line - across * shape.n[0];
    (axis == 1 ? at.k : at.j) = across;
  }
  at.number = shape.number(at.i, at.j, at.k);
  return at;
}

/// Locates the factors of a line: `first` of its first node, and `next` from node to node.
struct FactorPlaces {
  std::int64_t first;
  int next;
};
constexpr FactorPlaces factor_places(const BlockShape& shape, int axis, int listed, int line,
                                     const BlockShape::Node& start) {
  const std::int64_t block = std::int64_t{listed} * shape.nodes;
  if (axis == 0) return {block + line, shape.nodes / shape.n[0]};
  return {block + start.number, axis == 1 ? shape.n[0] : shape.n[0] * shape.n[1]};
}

/// Clears the nodes of listed blocks, ends included.
template <class T>
struct ClearBlocks {
  BlockShape shape;
  GroupMemory memory;
  const int* patches;
  T* to;
  constexpr void operator()(std::int64_t n) const {
    const BlockShape::Node at = shape.node(n);
    to[memory.at(patches[at.patch], at.i, at.j, at.k)] = 0;
  }
};

/// Solves on the lines of listed blocks along an axis, and adds to z unless they are the first ones. The last ones end
/// with the sum.
template <class T, int axis, class End>
struct SolveLine {
  BlockShape shape;
  GroupMemory memory;
  const int* patches;
  LineFactors<T> factors;
  Division by_lines;
  const T* r;
  T* z;
  T* scratch;  ///< of the nodes of the listed blocks
  T* slots;
  End end;
  bool first, last;

  constexpr void operator()(std::int64_t l) const {
    const int lines = shape.nodes / shape.n[axis], listed = by_lines(static_cast<int>(l)),
              line = static_cast<int>(l) - listed * lines;
    BlockShape::Node at = line_start(shape, axis, patches[listed], line);
    const std::int64_t start = memory.at(at.patch, at.i, at.j, at.k), step = axis == 0   ? 1
                                                                             : axis == 1 ? memory.sy
                                                                                         : memory.sz;
    const auto [from, next] = factor_places(shape, axis, listed, line, at);
    const auto place = [from = from, next = next](int m) { return from + m * std::int64_t{next}; };
    solve_line<T>(
        shape.n[axis], [&](int m) { return r[start + m * step]; }, [&](int m, T y) { scratch[place(m)] = y; },
        [&](int m) { return scratch[place(m)]; }, [&](int m) { return factors.lower[place(m)]; },
        [&](int m) { return factors.inverse[place(m)]; },
        [&](int m, T value) {
          const std::int64_t there = start + m * step;
          const T sum = first ? value : z[there] + value;
          if (!last) {
            z[there] = sum;
            return;
          }
          (axis == 0 ? at.i : axis == 1 ? at.j : at.k) = m;
          if (const int slot = shape.slot(at); slot >= 0)
            slots[slot] = sum;
          else
            end.put(there, there, sum);
        });
  }
};

/// Solves on the lines of a plane of a listed block along x, and along y if `both`, in a copy of its nodes for each
/// direction, which the threads of a group share. Sums are those of SolveLine.
template <class T, class End>
struct SolvePlane {
  using Value = T;
  BlockShape shape;
  GroupMemory memory;
  const int* patches;
  LineFactors<T> x, y;
  const T* r;
  T* z;
  T* slots;
  End end;
  bool both, first, last;

  constexpr int pitch() const { return shape.n[0] | 1; }  // odd: lines along x lie in different banks
  std::size_t room() const {
    return (both ? 2 : 1) * static_cast<std::size_t>(pitch()) * static_cast<std::size_t>(shape.n[1]);
  }
  /// Runs as one of the threads for a plane; `wait` lets all of them arrive.
  template <class Wait>
  constexpr void operator()(std::int64_t plane, int thread, int threads, T* own, const Wait& wait) const {
    const int listed = static_cast<int>(plane / shape.n[2]),
              k = static_cast<int>(plane - std::int64_t{listed} * shape.n[2]), p = patches[listed],
              nodes = shape.n[0] * shape.n[1], width = pitch();
    T* const other = own + width * shape.n[1];
    for (int t = thread; t < nodes; t += threads) {
      const int j = shape.by_line(t), i = t - j * shape.n[0];
      const T value = r[memory.at(p, i, j, k)];
      own[i + width * j] = value;
      if (both) other[i + width * j] = value;
    }
    wait();
    const std::int64_t block = std::int64_t{listed} * shape.nodes;
    const int second = (shape.n[1] + 31) / 32 * 32;  // lines along y belong to other warps
    for (int t = thread; t < second + (both ? shape.n[0] : 0); t += threads) {
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
      const std::int64_t place = memory.at(p, i, j, k);
      T sum = first ? own[i + width * j] : z[place] + own[i + width * j];
      if (both) sum += other[i + width * j];
      if (!last) {
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

/// Is the sign of points in fields: those of nodes with lines are −(W₀ D⁻¹ + least_point).
template <class T>
inline constexpr T least_point = T(1e-37);

/// Ends products of steps: takes a step at the nodes without lines, and writes the residual at the others.
template <class T>
struct PutPointsOrResidual {
  const T *u, *b, *points;
  T *previous, *residual;
  T alpha, beta;
  constexpr void put(std::int64_t i, std::int64_t, T value) const {
    const T p = points[i], r = b[i] - value;
    if (p < T(0)) {
      residual[i] = r;
      return;
    }
    const T next = u[i] + alpha * p * r;
    previous[i] = beta == T(0) ? next : next + beta * (u[i] - previous[i]);
  }
  /// All nodes of a pack lie inside of one block.
  template <int width>
  constexpr void put_pack(std::int64_t i, std::int64_t at, const Pack<T, width>& values) const {
    const PutPointStep<T> step{u, b, points, previous, alpha, beta};
    if (points[i] < T(0))
      PutResidual<T, T>{b, residual, nullptr}.put_pack(i, at, values);
    else
      step.put_pack(i, at, values);
  }
  constexpr void skip(std::int64_t at) const { residual[at] = 0; }
  /// Returns the field that a value was written to.
  constexpr T* written(std::int64_t at) const { return points[at] < T(0) ? residual : previous; }
};
/// Begins at the nodes without lines.
template <class T>
struct StartPoints {
  const T *points, *b;
  T* u;
  T alpha;
  constexpr void put(std::int64_t i, std::int64_t, T) const {
    if (const T p = points[i]; !(p < T(0))) u[i] = alpha * p * b[i];
  }
};
/// Adds points at interfaces that lines reach before an end, and what crosses there.
template <class T, class End>
struct AddPoints {
  const T *points, *r, *x;  ///< `x` may be null
  End end;
  constexpr void put(std::int64_t i, std::int64_t at, T value) const {
    const T p = -points[i];
    if (p > 2 * least_point<T>) value += p * r[i];
    end.put(i, at, x ? value + x[i] : value);
  }
};
/// Adds the slots of listed values at interfaces.
template <class T, class End>
struct AddListedSlots {
  const int *value, *start, *slot;
  InterfaceView all;  ///< of all values
  const T* slots;
  End end;
  const std::int64_t* copies = nullptr;  ///< of each slot, its place in a block, to which the result is copied
  T* result = nullptr;                   ///< what the end writes, with `copies`
  constexpr void operator()(std::int64_t n) const {
    T sum = 0;
    for (int s = start[n]; s < start[n + 1]; ++s) sum += slots[slot[s]];
    const int v = value[n];
    const std::int64_t place = all.place[v];
    end.put(place, place, sum);
    if (!copies) return;
    const T written = result[place];
    for (int s = all.start[v]; s < all.start[v + 1]; ++s) result[copies[all.slot[s]]] = written;
  }
};

}  // namespace poisson
