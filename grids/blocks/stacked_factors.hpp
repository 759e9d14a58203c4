#pragma once

#include <cmath>
#include <cstdint>

#include "grids/blocks/block_lines.hpp"
#include "grids/blocks/stacked_lines.hpp"

/// Contains what factors of lines are made from, as functions of a node or of a line (BlockLines).
namespace poisson {

/// Finds diagonals and couplings at the nodes of a group.
template <int dimension>
struct NodesOnLines {
  BlockShape shape;
  GroupMemory memory;           ///< of fields in fp64
  const double* inverse;        ///< of the diagonal; 0: not free
  const double* couplings;      ///< to the next node along each axis
  const GroupMemory* places;    ///< of the couplings, by patch and axis
  const unsigned char* strong;  ///< by patch and axis: the block has lines along it

  constexpr double diagonal(const BlockShape::Node& at) const {
    const double value = inverse[memory.at(at.patch, at.i, at.j, at.k)];
    return value > 0 ? 1 / value : 0;
  }
  constexpr bool has_lines(int patch, int axis) const { return strong[patch * dimension + axis] != 0; }
  /// Returns the entry to the next node along an axis.
  constexpr double coupling(int axis, const BlockShape::Node& at) const {
    return couplings[places[at.patch * dimension + axis].at(0, at.i, at.j, at.k)];
  }
  /// Returns −a over the negative entries of a node along an axis.
  constexpr double along(int axis, const BlockShape::Node& at) const {
    const GroupMemory& of = places[at.patch * dimension + axis];
    const int place = axis == 0 ? at.i : axis == 1 ? at.j : at.k;
    const double* const here = couplings + of.at(0, at.i, at.j, at.k);
    double before = 0, after = 0;
    if (place > 0) before = -here[-(axis == 0 ? 1 : axis == 1 ? of.sy : of.sz)];
    if (place + 1 < shape.n[axis]) after = -*here;
    return (before > 0 ? before : 0) + (after > 0 ? after : 0);
  }
  /// Returns s² of a line at a node with the diagonal d.
  constexpr double strength(int axis, const BlockShape::Node& at, double d) const {
    const double s = along(axis, at);
    return strength_of_line(s, d);
  }
  /// Returns the node of a line that is `m` behind the first one.
  constexpr BlockShape::Node on_line(BlockShape::Node start, int axis, int m) const {
    (axis == 0 ? start.i : axis == 1 ? start.j : start.k) = m;
    return start;
  }
};

/// Finds the largest ratio of couplings along a line to the diagonal.
template <int dimension>
struct MeasureLine {
  NodesOnLines<dimension> nodes;
  int axis;
  Division by_lines;
  float* most;

  constexpr void operator()(std::int64_t l) const {
    const int n = nodes.shape.n[axis], lines = nodes.shape.nodes / n, patch = by_lines(static_cast<int>(l));
    const BlockShape::Node start = line_start(nodes.shape, axis, patch, static_cast<int>(l) - patch * lines);
    double largest = 0;
    for (int m = n == 2 ? 0 : 1; m < (n == 2 ? 2 : n - 1); ++m) {
      const BlockShape::Node at = nodes.on_line(start, axis, m);
      const double inverse = nodes.inverse[nodes.memory.at(patch, at.i, at.j, at.k)],
                   ratio = inverse > 0 ? (n == 2 ? 2 : 1) * nodes.along(axis, at) * inverse : 0;
      if (ratio > largest) largest = ratio;
    }
    most[l] = static_cast<float>(largest);
  }
};

/// Computes what a block adds to the sum of weights at a node before they are divided by it, or its part of points.
template <int dimension>
struct SumStrengths {
  NodesOnLines<dimension> nodes;
  bool points;

  constexpr double operator()(const BlockShape&, const GroupMemory&, const BlockShape::Node& at, const double*) const {
    const double d = nodes.diagonal(at);
    double sum = 0;
    bool lines = false;
    for (int axis = 0; axis < dimension; ++axis)
      if (nodes.has_lines(at.patch, axis)) {
        lines = true;
        sum += nodes.strength(axis, at, d);
      }
    if (lines) return points ? 0 : sum;
    return d * d;
  }
};

/// Computes W₀ D⁻¹ of a place in fields in fp64, with the sign of least_point.
template <class T>
struct PointOfPlace {
  const double *part, *total, *inverse;
  constexpr T operator()(std::int64_t i, bool lines) const {
    const double value = total[i] > 0 ? part[i] / total[i] * inverse[i] : 0;
    return lines ? -(static_cast<T>(value) + least_point<T>) : static_cast<T>(value);
  }
};
template <class T>
struct PutPointsInside {
  BlockShape shape;
  GroupMemory memory, result;
  const unsigned char* lines;  ///< of each patch
  PointOfPlace<T> point;
  T* to;
  constexpr void operator()(std::int64_t n) const {
    const BlockShape::Node at = shape.node(n);
    if (shape.slot(at) < 0)
      to[result.at(at.patch, at.i, at.j, at.k)] = point(memory.at(at.patch, at.i, at.j, at.k), lines[at.patch] != 0);
  }
};
template <class T>
struct PutPointsAtInterfaces {
  const std::int64_t *place, *result;
  const unsigned char* lines;  ///< of each value
  PointOfPlace<T> point;
  T* to;
  constexpr void operator()(std::int64_t v) const { to[result[v]] = point(place[v], lines[v] != 0); }
};

/// Computes the factors LDLᵀ of W^-½ T W^-½ on a line of listed blocks.
template <class T, int dimension>
struct FactorLine {
  NodesOnLines<dimension> nodes;
  const int* patches;
  int axis;
  Division by_lines;
  const double* total;  ///< of the weights
  T *inverse, *lower;

  constexpr void operator()(std::int64_t l) const {
    const BlockShape& shape = nodes.shape;
    const int n = shape.n[axis], lines = shape.nodes / n, listed = by_lines(static_cast<int>(l)),
              line = static_cast<int>(l) - listed * lines;
    const BlockShape::Node start = line_start(shape, axis, patches[listed], line);
    const auto [first, next] = factor_places(shape, axis, listed, line, start);
    double carried = 0;
    NodeOfLine here = of(start);
    for (int m = 0; m < n; ++m) {
      const NodeOfLine further = m + 1 < n ? of(nodes.on_line(start, axis, m + 1)) : NodeOfLine{};
      const double coupling = further.counts() ? nodes.coupling(axis, nodes.on_line(start, axis, m)) : 0;
      const LineFactor made = factor_node(carried, here, further, coupling);
      const std::int64_t to = first + m * std::int64_t{next};
      inverse[to] = static_cast<T>(made.inverse);
      lower[to] = static_cast<T>(made.lower);
      carried = made.carried;
      here = further;
    }
  }

 private:
  constexpr NodeOfLine of(const BlockShape::Node& at) const {
    const double d = nodes.diagonal(at);
    if (!(d > 0)) return {};
    return {d, nodes.strength(axis, at, d) / total[nodes.memory.at(at.patch, at.i, at.j, at.k)]};
  }
};

}  // namespace poisson
