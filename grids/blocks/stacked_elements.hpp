#pragma once

#include <cstdint>

#include "grids/blocks/element_records.hpp"
#include "grids/blocks/stacked_steps.hpp"

/// Contains the assembly of stacked blocks as functions of a cell or of a node, which run on any device. Matrices of
/// elements are records (BlockElements) that threads of neighbouring cells read together.
namespace poisson {

/// Is the cells of a block.
struct CellGrid {
  int n[3] = {1, 1, 1};
  int cells = 1;
  Division by_cells, by_line, by_plane;

  constexpr explicit CellGrid(const BlockShape& shape, int dimension) {
    for (int d = 0; d < dimension; ++d) n[d] = shape.n[d] - 1;
    set();
  }
  struct Cell {
    int patch, number, at[3];
  };
  constexpr Cell cell(std::int64_t i) const {
    const int t = static_cast<int>(i), p = by_cells(t), number = t - p * cells, line = by_line(number),
              k = by_plane(line);
    return {p, number, {number - line * n[0], line - k * n[1], k}};
  }
  constexpr int number(int i, int j, int k) const { return i + n[0] * (j + n[1] * k); }

 private:
  constexpr void set() {
    cells = n[0] * n[1] * n[2];
    by_cells = Division(cells);
    by_line = Division(n[0]);
    by_plane = Division(n[1]);
  }
};

/// Locates records: by patch and value, of the cells of a patch, or of some planes of cells.
struct RecordView {
  double* values = nullptr;
  std::int64_t cells = 0;  ///< of a patch
  int size = 0;            ///< of a record
  int first = 0;           ///< cell of a patch

  constexpr double* at(int patch, int cell) const {
    return values + std::int64_t{patch} * size * cells + (cell - first);
  }
};

/// Returns the place of an entry above the diagonal in a record of elements with n corners.
constexpr int record_entry(int n, int row, int column) {
  return row * n - row * (row + 1) / 2 + column - row - 1;
}
template <int dimension>
inline constexpr int record_size = dimension == 2 ? 10 : 36;
template <int dimension>
inline constexpr int first_sum = dimension == 2 ? 6 : 28;

/// Is the map of a cell at a Gauss point of two along each axis. Points are numbered as corners in tensor order.
template <int dimension>
struct MappedPoint {
  static constexpr int corners = 1 << dimension;
  double weight = 0;              ///< times the measure
  double value[corners] = {};     ///< shape functions
  double slope[corners][3] = {};  ///< their gradients

  /// `edge[axis][q]` are edges by edge_corner.
  constexpr MappedPoint(const double (&edge)[dimension][corners / 2][3], int point) {
    double t[3] = {};
    for (int d = 0; d < dimension; ++d) t[d] = (point >> d & 1) != 0 ? 0.78867513459481288225 : 0.21132486540518711775;
    const auto across = [&t](int corner, int axis) {
      double product = 1;
      for (int e = 0; e < dimension; ++e)
        if (e != axis) product *= (corner >> e & 1) != 0 ? t[e] : 1 - t[e];
      return product;
    };
    double map[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, cross[3][3] = {};
    for (int d = 0; d < dimension; ++d)
      for (int a = 0; a < 3; ++a) {
        double sum = 0;
        for (int q = 0; q < corners / 2; ++q) sum += across(edge_corner(d, q), d) * edge[d][q][a];
        map[d][a] = sum;
      }
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        cross[d][a] = map[e][b] * map[f][c] - map[e][c] * map[f][b];
      }
    }
    const double det = map[0][0] * cross[0][0] + map[0][1] * cross[0][1] + map[0][2] * cross[0][2], over = 1 / det;
    weight = magnitude(det) / corners;
    for (int c = 0; c < corners; ++c) {
      value[c] = across(c, -1);
      for (int d = 0; d < dimension; ++d) {
        const double change = ((c >> d & 1) != 0 ? over : -over) * across(c, d);
        for (int a = 0; a < 3; ++a) slope[c][a] += change * cross[d][a];
      }
    }
  }
};

/// Locates the places of the nodes of a group: by patch, x, y and z.
struct NodePlaces {
  BlockShape shape;
  const double* place;

  /// Computes the edges of a cell.
  template <int dimension>
  constexpr void edges(const CellGrid::Cell& cell, int patch,
                       double (&edge)[dimension][(1 << dimension) / 2][3]) const {
    for (int a = 0; a < 3; ++a) {
      const double* const x = place + (std::int64_t{3} * patch + a) * shape.nodes;
      const auto at = [&](int c) {
        return x[shape.number(cell.at[0] + (c & 1), cell.at[1] + (c >> 1 & 1), cell.at[2] + (c >> 2))];
      };
      for (int d = 0; d < dimension; ++d)
        for (int q = 0; q < (1 << dimension) / 2; ++q)
          edge[d][q][a] = a < dimension ? at(edge_corner(d, q) | 1 << d) - at(edge_corner(d, q)) : 0.0;
    }
  }
};

/// Computes the matrices of elements from the corners of cells. Patches are counted from the first one of `to`.
template <int dimension>
struct ComputeElements {
  NodePlaces nodes;
  CellGrid grid;
  CellTables<double> tables;
  RecordView to;
  int first_patch;

  constexpr void operator()(std::int64_t i) const {
    constexpr int corners = 1 << dimension;
    const CellGrid::Cell cell = grid.cell(i);
    double edge[dimension][corners / 2][3], record[record_size<dimension>] = {};
    nodes.edges<dimension>(cell, first_patch + cell.patch, edge);
    const CellCoefficient<double> of = tables.coefficient(first_patch + cell.patch, cell.number);
    const double sigma = of.sigma ? *of.sigma : 0.0;
    for (int g = 0; g < corners; ++g) {
      const MappedPoint<dimension> at(edge, g);
      unrolled<corners>([&](auto row) {
        constexpr int a = row();
        double flux[3];
        of.multiply(at.slope[a], at.weight, flux);
        const double value = sigma * at.weight * at.value[a];
        record[first_sum<dimension> + a] += value;
        unrolled<corners>([&](auto column) {
          constexpr int b = column();
          if constexpr (b > a)
            record[record_entry(corners, a, b)] +=
                flux[0] * at.slope[b][0] + flux[1] * at.slope[b][1] + flux[2] * at.slope[b][2] + value * at.value[b];
        });
      });
    }
    double* const out = to.at(cell.patch, cell.number);
    unrolled<record_size<dimension>>([&](auto e) { out[e() * to.cells] = record[e()]; });
  }
};

/// Computes ∫ f φ and ∫ φ of the corners of cells, as records of two values a corner.
template <int dimension>
struct ComputeLoads {
  NodePlaces nodes;
  CellGrid grid;
  const double* density;  ///< by patch: of each cell, or one; null: 0
  const double* source;   ///< by patch and cell: of each Gauss point; null: 0
  const double* unit;     ///< measure of a unit of places, by patch
  bool varies;
  RecordView to;
  int first_patch;

  constexpr void operator()(std::int64_t i) const {
    constexpr int corners = 1 << dimension;
    const CellGrid::Cell cell = grid.cell(i);
    const int patch = first_patch + cell.patch;
    double edge[dimension][corners / 2][3], record[2 * corners] = {};
    nodes.edges<dimension>(cell, patch, edge);
    const std::int64_t number = std::int64_t{patch} * grid.cells + cell.number;
    const double constant = density ? density[varies ? number : patch] : 0.0;
    for (int g = 0; g < corners; ++g) {
      const MappedPoint<dimension> at(edge, g);
      const double weight = unit[patch] * at.weight, f = constant + (source ? source[corners * number + g] : 0.0);
      unrolled<corners>([&](auto c) {
        record[c()] += f * weight * at.value[c()];
        record[corners + c()] += weight * at.value[c()];
      });
    }
    double* const out = to.at(cell.patch, cell.number);
    unrolled<2 * corners>([&](auto e) { out[e() * to.cells] = record[e()]; });
  }
};

/// Adds listed values to the first `size` ones of records.
struct AddRecords {
  const int *patch, *cell;
  const double* values;
  int size;
  RecordView to;

  constexpr void operator()(std::int64_t i) const {
    double* const out = to.at(patch[i], cell[i]);
    for (int e = 0; e < size; ++e) out[e * to.cells] += values[i * size + e];
  }
};

}  // namespace poisson
