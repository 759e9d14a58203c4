#pragma once

#include "grids/rows/face_means.hpp"
#include "grids/rows/recompute.hpp"

/// The assembly mode `recompute` of cell-centred finite volumes computes κ on faces from its expression at the centres
/// of cells, wherever a row needs it. This file does not use the standard library.
namespace poisson {

/// Adds the data for the means on faces, in 64 bits, to the tables of nodes. A cell beyond an open end repeats the last
/// cell, so that a face at the end gets κ of the cell inside.
template <class T>
struct RecomputeFaceTables : RecomputeTables<T> {
  const double* width[3];      ///< belongs to cells −1 … n
  View<const double> ends[3];  ///< FaceRows::ends; contains α
  bool robin[3][2];            ///< whether the end is Robin
};

/// Implements Coefficients with the rows of Faces. Kappa is as in Recompute.
template <class T, class Kappa>
struct RecomputeFaces : RecomputeFaceTables<T> {
  /// Computes rows along z. A layer contains κ on the faces around its cell; `through` is κ on the face above. A row
  /// gets its lower face from the layer below.
  struct Column {
    const RecomputeFaces& c;
    int i, j;
    T west, east, south, north;  // are 1/h towards the neighbours times the area per unit of z
    T area;                      // across z

    template <int d>
    constexpr double at(int a, int b, int k) const {
      return Kappa::template at<(Kappa::count > 1 ? d : 0)>(c.cx[a], c.cy[b], c.cz[k]);
    }
    /// Returns κ on the face above cell k.
    constexpr T through(int k) const { return c.template face<2>(at<2>(i, j, k), at<2>(i, j, k + 1), i, j, k + 1); }
    /// Loads layer k of the column, −1 ≤ k < n_z.
    constexpr CellLayer<T> read(int k) const {
      const double x = at<0>(i, j, k);
      double y = x, z = x;
      if constexpr (Kappa::count > 1) {
        y = at<1>(i, j, k);
        z = at<2>(i, j, k);
      }
      return {
          c.template face<0>(at<0>(i - 1, j, k), x, i, j, k), c.template face<0>(x, at<0>(i + 1, j, k), i + 1, j, k),
          c.template face<1>(at<1>(i, j - 1, k), y, i, j, k), c.template face<1>(y, at<1>(i, j + 1, k), i, j + 1, k),
          c.template face<2>(z, at<2>(i, j, k + 1), i, j, k + 1)};
    }
    constexpr CellLayer<T> layer(const CellLayer<T>& l) const { return l; }
    constexpr int beside(int k) const { return k; }
    constexpr Row<T> row(const CellLayer<T>& below, const CellLayer<T>& here, int k) const {
      const T m = c.z.mass[k];
      return {west * m * here.west,
              east * m * here.east,
              south * m * here.south,
              north * m * here.north,
              c.z.inverse[k - 1] * area * below.through,
              c.z.inverse[k] * area * here.through,
              c.reaction.data ? c.reaction(i, j, k) : c.sigma * area * m};
    }
  };
  constexpr Column column(int i, int j) const {
    const T mx = this->x.mass[i], my = this->y.mass[j];
    return {*this,
            i,
            j,
            this->x.inverse[i - 1] * my,
            this->x.inverse[i] * my,
            this->y.inverse[j - 1] * mx,
            this->y.inverse[j] * mx,
            mx * my};
  }

  struct Line {
    const RecomputeFaces& c;
    int j, k;

    constexpr Row<T> row(int i) const {
      const Column column = c.column(i, j);
      return column.row({0, 0, 0, 0, column.through(k - 1)}, column.read(k), k);
    }
    constexpr Row<T> interior(int i) const { return row(i); }
    constexpr T mass(int i) const { return c.y.mass[j] * c.z.mass[k] * c.x.mass[i]; }
  };
  constexpr Line line(int j, int k) const { return {*this, j, k}; }

 private:
  /// Returns κ on the face below cell (i, j, k) across axis d, from κ of the cells on both sides.
  template <int d>
  constexpr T face(double below, double above, int i, int j, int k) const {
    const int at = d == 0 ? i : d == 1 ? j : k;
    const auto alpha = [&](int end) {
      const int there = 2 * end + 1;
      return this->ends[d](d == 0 ? there : i, d == 1 ? there : j, d == 2 ? there : k);
    };
    const double h = this->width[d][at - 1], next = this->width[d][at];
    FaceMean mean = harmonic_face(below, h, above, next);
    if (this->robin[d][0] && at == 0) mean = robin_face(above, alpha(0), next);
    if (this->robin[d][1] && at == this->last[d] + 1) mean = robin_face(below, alpha(1), h);
    return static_cast<T>(static_cast<double>(mean));
  }
};

}  // namespace poisson
