#pragma once

#include "grids/blocks/stacked_bands.hpp"
#include "grids/blocks/stacked_elements.hpp"

/// Contains sums of elements at nodes and coarse elements, as functions of a node or of a coarse cell.
namespace poisson {

/// Calls f(corner, record) with the records of the cells at a node, where it is that corner.
template <int dimension, class F>
constexpr void visit_cells_at(const CellGrid& grid, const RecordView& from, const BlockShape::Node& at, const F& f) {
  unrolled<1 << dimension>([&](auto corner) {
    constexpr int a = corner();
    const int i = at.i - (a & 1), j = at.j - (a >> 1 & 1), k = at.k - (a >> 2);
    if (i < 0 || j < 0 || k < 0 || i >= grid.n[0] || j >= grid.n[1] || k >= grid.n[2]) return;
    f(corner, static_cast<const double*>(from.at(at.patch, grid.number(i, j, k))));
  });
}

/// Writes the bands of a node (BandPlaces) times a scale, and its row sum unless `sums` is null. `S` is the type of
/// stored bands.
template <class S, class T, int dimension>
struct GatherBands {
  BlockShape shape;
  CellGrid grid;
  RecordView from;
  BandPlaces places;
  S* bands;
  T* sums;
  double scale;
  int first_patch;

  constexpr void operator()(std::int64_t n) const {
    constexpr int corners = 1 << dimension, offsets = dimension == 2 ? 4 : 13;
    const BlockShape::Node at = shape.node(n);
    double band[offsets] = {}, sum = 0;
    visit_cells_at<dimension>(grid, from, at, [&](auto corner, const double* record) {
      constexpr int a = corner();
      sum += record[(first_sum<dimension> + a) * from.cells];
      unrolled<corners>([&](auto other) {
        constexpr int b = other();
        if constexpr (b > a) {
          constexpr int code = ((b & 1) - (a & 1)) + 3 * ((b >> 1 & 1) - (a >> 1 & 1)) + 9 * ((b >> 2) - (a >> 2));
          band[code - 1] += record[record_entry(corners, a, b) * from.cells];
        }
      });
    });
    S* const to = bands + places.at(shape, {first_patch + at.patch, at.number, at.i, at.j, at.k});
    unrolled<offsets>([&](auto d) { to[std::int64_t{d()} * places.pitch] = static_cast<S>(scale * band[d()]); });
    if (sums) sums[std::int64_t{first_patch + at.patch} * shape.nodes + at.number] = static_cast<T>(scale * sum);
  }
};

/// Returns whether a node is inside of its block.
template <int dimension>
constexpr bool is_inside(const CellGrid& grid, const BlockShape::Node& at) {
  return at.i > 0 && at.j > 0 && at.i < grid.n[0] && at.j < grid.n[1] &&
         (dimension == 2 || (at.k > 0 && at.k < grid.n[2]));
}

/// Computes the part of a diagonal that a block contributes. Nodes inside of a frozen block have 0.
template <int dimension>
struct DiagonalOfElements {
  CellGrid grid;
  RecordView from;
  const unsigned char* frozen;  ///< of each patch

  constexpr double operator()(const BlockShape&, const GroupMemory&, const BlockShape::Node& at, const double*) const {
    constexpr int corners = 1 << dimension;
    double sum = 0;
    if (frozen[at.patch] != 0 && is_inside<dimension>(grid, at)) return 0;
    visit_cells_at<dimension>(grid, from, at, [&](auto corner, const double* record) {
      constexpr int a = corner();
      sum += record[(first_sum<dimension> + a) * from.cells];
      unrolled<corners>([&](auto other) {
        constexpr int b = other();
        if constexpr (b != a) sum -= record[record_entry(corners, b < a ? b : a, b < a ? a : b) * from.cells];
      });
    });
    return sum;
  }
};

/// Adds the values of a node's corners, from `first` on in records.
template <int dimension>
struct SumOfCorners {
  CellGrid grid;
  RecordView from;
  int first;
  const unsigned char* frozen;  ///< of each patch

  constexpr double operator()(const BlockShape&, const GroupMemory&, const BlockShape::Node& at, const double*) const {
    double sum = 0;
    if (frozen[at.patch] != 0 && is_inside<dimension>(grid, at)) return 0;
    visit_cells_at<dimension>(
        grid, from, at, [&](auto corner, const double* record) { sum += record[(first + corner()) * from.cells]; });
    return sum;
  }
};

/// Writes the entries to the next node along each axis times a scale. `places` locates them by patch and axis.
template <int dimension>
struct GatherCouplings {
  BlockShape shape;
  CellGrid grid;
  RecordView from;
  const GroupMemory* places;
  double* to;
  double scale;
  int first_patch;

  constexpr void operator()(std::int64_t n) const {
    constexpr int corners = 1 << dimension;
    const BlockShape::Node at = shape.node(n);
    double along[dimension] = {};
    visit_cells_at<dimension>(grid, from, at, [&](auto corner, const double* record) {
      constexpr int a = corner();
      unrolled<dimension>([&](auto axis) {
        constexpr int b = a | 1 << axis();
        if constexpr (b != a) along[axis()] += record[record_entry(corners, a, b) * from.cells];
      });
    });
    const int place[3] = {at.i, at.j, at.k};
    for (int axis = 0; axis < dimension; ++axis)
      if (place[axis] + 1 < shape.n[axis])
        to[places[(first_patch + at.patch) * dimension + axis].at(0, at.i, at.j, at.k)] = scale * along[axis];
  }
};

/// Computes the elements of the next coarser level. `start` has the first cell of each coarse cell, by axis, and
/// `place` where each node is in its coarse cell, from 0 to 1.
template <int dimension>
struct CoarsenElements {
  CellGrid fine, coarse;
  const int* start[3];
  const double* place[3];
  RecordView from;
  double* to;
  const std::int64_t* first;  ///< of each patch, its first record in `to`, or −1
  int first_patch;

  constexpr void operator()(std::int64_t i) const {
    constexpr std::size_t corners = std::size_t{1} << dimension;
    const CellGrid::Cell cell = coarse.cell(i);
    if (first[first_patch + cell.patch] < 0) return;
    int begin[3] = {}, end[3] = {1, 1, 1};
    for (int d = 0; d < dimension; ++d) {
      begin[d] = start[d][cell.at[d]];
      end[d] = start[d][cell.at[d] + 1];
    }
    double sum[record_size<dimension>] = {};
    for (int z = begin[2]; z < end[2]; ++z)
      for (int y = begin[1]; y < end[1]; ++y)
        for (int x = begin[0]; x < end[0]; ++x) {
          ElementMatrix element = read_record(from.at(cell.patch, fine.number(x, y, z)), corners, from.cells);
          const std::array<int, 3> at{x, y, z};
          std::array<double, 3> lower{}, upper{};
          for (std::size_t d = 0; d < dimension; ++d) {
            lower[d] = place[d][at[d]];
            upper[d] = at[d] + 1 == end[d] ? 1 : place[d][at[d] + 1];
          }
          restrict_element(element, dimension, lower, upper);
          add_to_record(element, corners, sum);
        }
    double* const out = to + first[first_patch + cell.patch] + cell.number;
    for (int e = 0; e < record_size<dimension>; ++e) out[std::int64_t{e} * coarse.cells] = sum[e];
  }
};

/// Runs a function of a cell or node from a number on.
template <class F>
struct ShiftedSteps {
  F f;
  std::int64_t begin;
  constexpr void operator()(std::int64_t i) const { f(begin + i); }
};
template <class T>
struct ScaleValues {
  const double* from;
  T* to;
  double scale;
  constexpr void operator()(std::int64_t i) const { to[i] = static_cast<T>(scale * from[i]); }
};

/// Ends sums over the blocks at a node: writes the value times a scale, or the inverse of that.
struct PutValue {
  double* out;
  double scale;
  bool inverse;
  constexpr void put(std::int64_t, std::int64_t at, double value) const {
    out[at] = !inverse ? scale * value : value > 0 ? 1 / (scale * value) : 0;
  }
  constexpr void skip(std::int64_t at) const { out[at] = 0; }
};

}  // namespace poisson
