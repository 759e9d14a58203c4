#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "grids/blocks/cell_products.hpp"
#include "grids/blocks/pack.hpp"
#include "grids/blocks/stacked_tables.hpp"

/// Contains the steps of verbs on stacked blocks as functions of a node, which run on any device. Fields are memory
/// that GroupMemory locates.
namespace poisson {

/// Computes A u of a block with TensorFactors. Values beyond the ends of a block are zero and have zero entries.
template <class T, int dimension>
struct TensorProductOfBlock {
  const T* table[3];  ///< of each axis, by block: stiffness and mass of the cell before each node, diagonal of the mass
  const T* constants;  ///< by block: metric, reaction

  static constexpr int constants_of_block = 8;
  /// Returns the values of an axis in the table: each of the three parts has one value more than nodes.
  static constexpr int axis_size(int nodes) { return 3 * (nodes + 1); }

  constexpr T operator()(const BlockShape& shape, const GroupMemory& memory, const BlockShape::Node& at,
                         const T* u) const {
    // Slopes of neighbours have the integrals −½ step; that of the node is ½ end at the ends of an axis.
    T K[3][3] = {}, M[3][3] = {}, step[3][3] = {}, end[3] = {};
    M[2][1] = 1;
    const int place[3] = {at.i, at.j, at.k};
    for (int d = 0; d < dimension; ++d) {
      const int n = shape.n[d];
      const T* const k = table[d] + std::int64_t{at.patch} * axis_size(n) + place[d];
      K[d][0] = -k[0];
      K[d][2] = -k[1];
      K[d][1] = k[0] + k[1];
      M[d][0] = k[n + 1];
      M[d][2] = k[n + 2];
      M[d][1] = k[2 * (n + 1)];
      step[d][0] = static_cast<T>(place[d] == 0 ? 0 : -1);
      step[d][2] = static_cast<T>(place[d] == n - 1 ? 0 : 1);
      end[d] = -(step[d][0] + step[d][2]);
    }
    const T* const g = constants + std::int64_t{at.patch} * constants_of_block;
    const T* const own = u + memory.at(at.patch, at.i, at.j, at.k);
    const T here = *own;
    T sum = g[6] * (M[0][0] + M[0][1] + M[0][2]) * (M[1][0] + M[1][1] + M[1][2]) * (M[2][0] + M[2][1] + M[2][2]) * here;
    constexpr int depth = dimension == 3 ? 1 : 0;
    for (int z = -depth; z <= depth; ++z)
      for (int y = -1; y <= 1; ++y) {
        const T my = M[1][y + 1], mz = M[2][z + 1], ty = step[1][y + 1], tz = step[2][z + 1], half = T(0.5);
        const T of_stiffness = g[0] * my * mz, skew = half * (g[3] * ty * mz + g[4] * tz * my);
        T of_mass = g[1] * K[1][y + 1] * mz + g[2] * my * K[2][z + 1] + g[6] * my * mz - half * g[5] * ty * tz,
          middle = 0;
        if (y == 0 && z == 0) of_mass += half * g[5] * end[1] * end[2];
        if (y == 0) middle += half * g[3] * end[0] * end[1] * mz;
        if (z == 0) middle += half * g[4] * end[0] * end[2] * my;
        const T* const line = own + y * memory.sy + z * memory.sz;
        sum += (of_stiffness * K[0][0] + of_mass * M[0][0] - step[0][0] * skew) * (line[-1] - here);
        sum += (of_stiffness * K[0][1] + of_mass * M[0][1] + middle) * (line[0] - here);
        sum += (of_stiffness * K[0][2] + of_mass * M[0][2] - step[0][2] * skew) * (line[1] - here);
      }
    return sum;
  }
};

/// Runs a product at the nodes of a group. Values inside blocks are complete; those at ends go to their slots.
template <class T, class Product, class End>
struct MultiplyNode {
  BlockShape shape;
  GroupMemory memory, result;
  Product product;
  const T* u;
  T* slots;
  End end;

  constexpr void operator()(std::int64_t i) const {
    const BlockShape::Node at = shape.node(i);
    const T value = product(shape, memory, at, u);
    if (const int slot = shape.slot(at); slot >= 0)
      slots[slot] = value;
    else
      end.put(memory.at(at.patch, at.i, at.j, at.k), result.at(at.patch, at.i, at.j, at.k), value);
  }
};
/// Calls f.put(place, place in a result, 0) for the nodes inside blocks.
template <class T, class F>
struct VisitNode {
  BlockShape shape;
  GroupMemory memory, result;
  F f;

  constexpr void operator()(std::int64_t i) const {
    const BlockShape::Node at = shape.node(i);
    if (shape.slot(at) < 0) f.put(memory.at(at.patch, at.i, at.j, at.k), result.at(at.patch, at.i, at.j, at.k), T(0));
  }
};

/// Locates the values at interfaces.
struct InterfaceView {
  const std::int64_t *place, *result;  ///< of each value, in the precision of the operator and of the result
  const int *start, *slot;
  int free, count;
};
/// Adds what blocks contribute to a value at an interface. Values that are not unknowns are computed only `everywhere`.
template <class T, class End>
struct AddSlots {
  InterfaceView at;
  const T* slots;
  End end;
  bool everywhere;
  const std::int64_t* copies = nullptr;  ///< of each slot, its place in a block, to which the result is copied
  T* result = nullptr;                   ///< what the end writes, with `copies`, unless its written() tells

  constexpr void operator()(std::int64_t v) const {
    // Most values are on faces between two blocks. All places are loaded before anything is stored.
    const int first = at.start[v], last = at.start[v + 1];
    const bool skips = v >= at.free && !everywhere;
    const std::int64_t place = at.place[v], to = at.result[v];
    const int near = first < last ? at.slot[first] : 0, far = first + 1 < last ? at.slot[first + 1] : near;
    const std::int64_t near_copy = copies ? copies[near] : 0, far_copy = copies ? copies[far] : 0;
    if (skips) {
      end.skip(to);
    } else {
      T sum = first < last ? slots[near] : T(0);
      if (first + 1 < last) sum += slots[far];
      for (int s = first + 2; s < last; ++s) sum += slots[at.slot[s]];
      end.put(place, to, sum);
    }
    if (!copies || first == last) return;
    T* written = result;
    if constexpr (requires { end.written(to); }) written = end.written(to);
    const T value = written[to];
    written[near_copy] = value;
    written[far_copy] = value;
    for (int s = first + 2; s < last; ++s) written[copies[at.slot[s]]] = value;
  }
};
template <class F>
struct VisitValue {
  InterfaceView at;
  F f;
  constexpr void operator()(std::int64_t v) const { f.put(at.place[v], at.result[v], 0); }
};

/// Writes listed values.
struct PutListed {
  const std::int64_t* place;
  const double* values;
  double* to;
  constexpr void operator()(std::int64_t i) const { to[place[i]] = values[i]; }
};

/// Ends of products: each computes a value of a verb from (A u)_i or from (B⁻¹ r)_i, and some compute values of a pack.
template <class T>
struct PutProduct {
  T* out;
  constexpr void put(std::int64_t, std::int64_t at, T value) const { out[at] = value; }
  template <int width>
  constexpr void put_pack(std::int64_t, std::int64_t at, const Pack<T, width>& values) const {
    store_pack(out + at, values);
  }
  constexpr void skip(std::int64_t at) const { out[at] = 0; }
};
template <class T, class R>
struct PutResidual {
  const T* b;
  R* r;
  const double* scale;  ///< null: 1
  constexpr void put(std::int64_t i, std::int64_t at, T value) const {
    const T residual = b[i] - value;
    r[at] = static_cast<R>(scale ? static_cast<T>(*scale) * residual : residual);
  }
  template <int width>
  constexpr void put_pack(std::int64_t i, std::int64_t at, const Pack<T, width>& values) const {
    const Pack<T, width> load = load_pack<width>(b + i);
    const T factor = scale ? static_cast<T>(*scale) : T(1);
    Pack<R, width> made{};
    for (int l = 0; l < width; ++l) made.value[l] = static_cast<R>(factor * (load.value[l] - values.value[l]));
    store_pack(r + at, made);
  }
  constexpr void skip(std::int64_t at) const { r[at] = 0; }
};
/// Takes a step with the diagonal.
template <class T>
struct PutPointStep {
  const T *u, *b, *inverse;
  T* previous;
  T alpha, beta;
  constexpr void put(std::int64_t i, std::int64_t, T value) const {
    const T next = u[i] + alpha * inverse[i] * (b[i] - value);
    // With beta = 0 the previous iterate may be undefined.
    previous[i] = beta == T(0) ? next : next + beta * (u[i] - previous[i]);
  }
  template <int width>
  constexpr void put_pack(std::int64_t i, std::int64_t, const Pack<T, width>& values) const {
    const Pack<T, width> x = load_pack<width>(u + i), load = load_pack<width>(b + i),
                         factor = load_pack<width>(inverse + i);
    Pack<T, width> before = beta == T(0) ? x : load_pack<width>(previous + i);
    for (int l = 0; l < width; ++l)
      before.value[l] = x.value[l] + alpha * factor.value[l] * (load.value[l] - values.value[l]) +
                        beta * (x.value[l] - before.value[l]);
    store_pack(previous + i, before);
  }
  constexpr void skip(std::int64_t) const {}
};
/// Takes a step with the solution of lines; without `u` it is the first one.
template <class T>
struct PutLineStep {
  const T* u;
  T* previous;
  T alpha, beta;
  constexpr void put(std::int64_t i, std::int64_t, T value) const {
    const T next = (u ? u[i] : T(0)) + alpha * value;
    previous[i] = beta == T(0) ? next : next + beta * (u[i] - previous[i]);
  }
  constexpr void skip(std::int64_t) const {}
};
template <class T>
struct BeginPoints {
  const T *b, *inverse;
  T* u;
  T alpha;
  constexpr void put(std::int64_t i, std::int64_t, T) const { u[i] = alpha * inverse[i] * b[i]; }
};
template <class X, class T>
struct PutDiagonal {
  const X* inverse;
  T* d;
  constexpr void put(std::int64_t i, std::int64_t at, T) const { d[at] = T(1) / static_cast<T>(inverse[i]); }
};
/// Subtracts mean · weight, where the mean is *sum / total.
template <class T>
struct SubtractMean {
  const double* sum;
  double total;
  const T* weights;  ///< null: 1
  T* x;
  constexpr void put(std::int64_t i, std::int64_t, T) const {
    x[i] = static_cast<T>(static_cast<double>(x[i]) - *sum / total * (weights ? static_cast<double>(weights[i]) : 1.0));
  }
};

/// Are terms of sums over two fields.
struct SquareTimes {
  const double* scale = nullptr;  ///< x is divided by it
  template <class X, class Y>
  constexpr double operator()(X x, Y y) const {
    const double value = static_cast<double>(x) * (scale ? 1.0 / *scale : 1.0);  // the quotient leaves loops
    return value * value * static_cast<double>(y);
  }
};
struct SquareOver {
  template <class X, class Y>
  constexpr double operator()(X x, Y y) const {
    return y > 0 ? static_cast<double>(x) * static_cast<double>(x) / static_cast<double>(y) : 0.0;
  }
};
struct TakeProduct {
  template <class X, class Y>
  constexpr double operator()(X x, Y y) const {
    return static_cast<double>(x) * static_cast<double>(y);
  }
};
struct SumLogarithms {
  template <class X, class Y>
  constexpr double operator()(X x, Y) const {
    return x > 0 ? std::log2(static_cast<double>(x)) : 0.0;
  }
};
struct CountPositive {
  template <class X, class Y>
  constexpr double operator()(X x, Y) const {
    return x > 0 ? 1.0 : 0.0;
  }
};
struct SumSizes {
  template <class X, class Y>
  constexpr double operator()(X x, Y) const {
    return x < 0 ? -static_cast<double>(x) : static_cast<double>(x);
  }
};
struct TakeFirst {
  template <class X, class Y>
  constexpr double operator()(X x, Y) const {
    return static_cast<double>(x);
  }
};

}  // namespace poisson
