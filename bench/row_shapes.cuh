#pragma once

#include <cstdint>

#include "bench/row_cases.hpp"

/// Computes rows of matrices and elements of meshes for benchmarks, one by one.
namespace poisson::bench {

__device__ inline double random_number(std::uint64_t number) {
  std::uint64_t bits = number * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(bits >> 11) / 9007199254740992.0;
}
// Returns κ of a cell.
__device__ inline double kappa_of(const RowCase& of, int x, int y, int z) {
  return of.jump == 1 || random_number(((x / 8 + 1) * 4099ULL + y / 8) * 4099ULL + z / 8) < 0.5 ? 1 : of.jump;
}

struct SevenPoints {
  RowCase of;

  template <class Emit>
  __device__ void row(std::int64_t i, const Emit& emit) const {
    const int n = of.n;
    const int at[3] = {static_cast<int>(i % n), static_cast<int>(i / n % n), static_cast<int>(i / n / n)};
    const std::int64_t step[3] = {1, n, std::int64_t{n} * n};
    const double own = kappa_of(of, at[0], at[1], at[2]);
    double coupling[6], sum = 0;
    for (int side = 0; side < 6; ++side) {
      const int d = side / 2, to = at[d] + (side % 2 == 0 ? -1 : 1);
      const bool inside = to >= 0 && to < n;
      int there[3] = {at[0], at[1], at[2]};
      there[d] = to;
      const double other = inside ? kappa_of(of, there[0], there[1], there[2]) : own;
      const double a = (d == 2 ? of.along_z : 1) * 2 * own * other / (own + other);
      coupling[side] = inside ? a : 0;
      if (inside || !of.neumann) sum += a;
    }
    for (int d = 2; d >= 0; --d)
      if (coupling[2 * d] > 0) emit(i - step[d], -coupling[2 * d]);
    emit(i, sum);
    for (int d = 0; d < 3; ++d)
      if (coupling[2 * d + 1] > 0) emit(i + step[d], -coupling[2 * d + 1]);
  }
};

// The six tetrahedra of a cube follow the paths from corner 0 to corner 7 along the axes in these orders.
__constant__ const int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

struct Tetrahedra {
  RowCase of;

  __device__ void point(const int (&at)[3], double (&x)[3]) const {
    const int cells = of.n + 1;
    for (int d = 0; d < 3; ++d) {
      const bool inside = at[d] > 0 && at[d] < cells;
      const auto number = ((at[2] * 4099ULL + at[1]) * 4099ULL + at[0]) * 3 + d;
      const double moved = at[d] + (inside ? 2 * of.shift * (random_number(number) - 0.5) : 0);
      x[d] = of.stretching == 1 ? moved : cells * pow(moved / cells, of.stretching);
    }
  }
  // Adds a tetrahedron to a row: `sum` has a place for each of the 27 neighbours.
  __device__ void add(const int (&corner)[4][3], int own, const int (&centre)[3], double (&sum)[27]) const {
    double x[4][3], a[3][3];
    for (int c = 0; c < 4; ++c) point(corner[c], x[c]);
    for (int r = 0; r < 3; ++r)
      for (int d = 0; d < 3; ++d) a[r][d] = x[r + 1][d] - x[0][d];
    double slope[4][3];
    double volume = 0;
    for (int r = 0; r < 3; ++r) {
      const int s = (r + 1) % 3, t = (r + 2) % 3;
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        slope[r + 1][d] = a[s][e] * a[t][f] - a[s][f] * a[t][e];
      }
    }
    for (int d = 0; d < 3; ++d) {
      volume += a[0][d] * slope[1][d];
      slope[0][d] = -slope[1][d] - slope[2][d] - slope[3][d];
    }
    const double factor = kappa_of(of, corner[0][0], corner[0][1], corner[0][2]) / (6 * fabs(volume));
    for (int c = 0; c < 4; ++c) {
      double product = 0;
      for (int d = 0; d < 3; ++d) product += slope[own][d] * slope[c][d];
      int place = 13, step = 1;
      for (int d = 0; d < 3; ++d, step *= 3) place += (corner[c][d] - centre[d]) * step;
      sum[place] += product * factor;
    }
  }
  template <class Emit>
  __device__ void row(std::int64_t i, const Emit& emit) const {
    const int n = of.n;
    const int centre[3] = {static_cast<int>(i % n) + 1, static_cast<int>(i / n % n) + 1,
                           static_cast<int>(i / n / n) + 1};
    double sum[27] = {};
    for (const auto& path : paths)
      for (int own = 0; own < 4; ++own) {
        int corner[4][3];
        for (int d = 0; d < 3; ++d) corner[0][d] = centre[d];
        for (int k = 0; k < own; ++k) --corner[0][path[k]];
        for (int k = 0; k < 3; ++k) {
          for (int d = 0; d < 3; ++d) corner[k + 1][d] = corner[k][d];
          ++corner[k + 1][path[k]];
        }
        add(corner, own, centre, sum);
      }
    for (int k = 0; k < 27; ++k) {
      const int x = centre[0] + k % 3 - 2, y = centre[1] + k / 3 % 3 - 2, z = centre[2] + k / 9 - 2;
      // Two corners of a cube share a tetrahedron unless their coordinates differ in opposite directions.
      const bool up = x > centre[0] - 1 || y > centre[1] - 1 || z > centre[2] - 1,
                 down = x < centre[0] - 1 || y < centre[1] - 1 || z < centre[2] - 1;
      if ((up && down) || x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) continue;
      emit((std::int64_t{z} * n + y) * n + x, sum[k]);
    }
  }
};

// Writes the points, and the corners of the tetrahedra of a cube.
struct WritePoints {
  Tetrahedra from;
  double* point;
  int *row, *point_of;
  __device__ void operator()(std::int64_t number) const {
    const int n = from.of.n, all = n + 2;
    const int at[3] = {static_cast<int>(number % all), static_cast<int>(number / all % all),
                       static_cast<int>(number / all / all)};
    double x[3];
    from.point(at, x);
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      point[3 * number + d] = x[d];
      inside = inside && at[d] > 0 && at[d] <= n;
    }
    const std::int64_t i = (std::int64_t{at[2] - 1} * n + at[1] - 1) * n + at[0] - 1;
    row[number] = inside ? static_cast<int>(i) : -1;
    if (inside) point_of[i] = static_cast<int>(number);
  }
};
struct WriteTetrahedra {
  Tetrahedra from;
  int* corner;
  double* kappa;
  __device__ void operator()(std::int64_t cube) const {
    const int cells = from.of.n + 1;
    const std::int64_t all = from.of.n + 2, step[3] = {1, all, all * all};
    const int at[3] = {static_cast<int>(cube % cells), static_cast<int>(cube / cells % cells),
                       static_cast<int>(cube / cells / cells)};
    for (int t = 0; t < 6; ++t) {
      std::int64_t here = (at[2] * all + at[1]) * all + at[0];
      for (int c = 0; c < 4; ++c) {
        corner[(cube * 6 + t) * 4 + c] = static_cast<int>(here);
        if (c < 3) here += step[paths[t][c]];
      }
      kappa[cube * 6 + t] = kappa_of(from.of, at[0], at[1], at[2]);
    }
  }
};

}  // namespace poisson::bench
