#pragma once

#include "grids/rows/coefficients.hpp"

/// The assembly mode `recompute`: κ from its expression wherever a row needs it. Free of the standard library.
namespace poisson {

/// What rows are made from beside the expression. Cells are evaluated at their centres.
template <class T>
struct RecomputeTables {
  AxisTable<T> x, y, z;
  /// Coordinates of the cells −1 … n: their centres; beyond open ends the face, where a half face of κ of its own lies.
  const double *cx = nullptr, *cy = nullptr, *cz = nullptr;
  View<const T> reaction;  ///< optional: data may be null
  T sigma;
  /// The values on open (not periodic) ends; negative where there are none.
  int first[3], last[3];
};

/// Stands for the Kappa of code that is compiled at run time, where the host lays out what that code reads.
struct KappaAtRunTime {
  static constexpr int count = 1;
  template <int d>
  static double at(double x, double y, double z);
};

/// A model of Coefficients. Kappa: `count`, 1 for an isotropic κ, else 3, and at<d>(x, y, z), κ of direction d as the
/// host would have it, in double arithmetic: a cell beside a jump lies on the same side in every precision and mode.
template <class T, class Kappa>
struct Recompute : RecomputeTables<T> {
  /// As Partial::Column.
  struct Column {
    const Recompute& c;
    CellColumn<T> cells;
    T area;
    double xw, xe, ys, yn;  // where the cells are
    int i, j;

    template <int d>
    constexpr CellQuad<T> quad(int k) const {
      const double z = c.cz[k];
      return {static_cast<T>(Kappa::template at<d>(xw, ys, z)), static_cast<T>(Kappa::template at<d>(xe, ys, z)),
              static_cast<T>(Kappa::template at<d>(xw, yn, z)), static_cast<T>(Kappa::template at<d>(xe, yn, z))};
    }
    /// The cells k of the column, −1 ≤ k ≤ n_z.
    constexpr CellLayer<T> read(int k) const {
      const CellQuad<T> x = quad<0>(k);
      if constexpr (Kappa::count > 1)
        return cells.layer(x, quad<1>(k), quad<2>(k));
      else
        return cells.layer(x, x, x);
    }
    constexpr CellLayer<T> layer(const CellLayer<T>& l) const { return l; }
    constexpr int beside(int k) const { return k; }
    constexpr Row<T> row(const CellLayer<T>& below, const CellLayer<T>& above, int k) const {
      return cells.row(below, above, c.lower(2, c.z, k), c.upper(2, c.z, k), c.z.inverse[k - 1], c.z.inverse[k],
                       c.reaction.data ? c.reaction(i, j, k) : c.sigma * area * c.z.mass[k]);
    }
  };
  constexpr Column column(int i, int j) const {
    return {*this,
            {lower(0, this->x, i), upper(0, this->x, i), lower(1, this->y, j), upper(1, this->y, j),
             this->x.inverse[i - 1], this->x.inverse[i], this->y.inverse[j - 1], this->y.inverse[j]},
            this->x.mass[i] * this->y.mass[j],
            this->cx[i - 1],
            this->cx[i],
            this->cy[j - 1],
            this->cy[j],
            i,
            j};
  }

  struct Line {
    const Recompute& c;
    int j, k;

    constexpr Row<T> row(int i) const {
      const Column column = c.column(i, j);
      return column.row(column.read(k - 1), column.read(k), k);
    }
    constexpr Row<T> interior(int i) const { return row(i); }
    constexpr T mass(int i) const { return c.y.mass[j] * c.z.mass[k] * c.x.mass[i]; }
  };
  constexpr Line line(int j, int k) const { return {*this, j, k}; }

 private:
  // Widths of the half cells below and above value i. On an open end the one outside has κ of the face for both halves.
  constexpr T lower(int d, const AxisTable<T>& axis, int i) const {
    return i == this->last[d] ? T(0) : axis.half[i - 1];
  }
  constexpr T upper(int d, const AxisTable<T>& axis, int i) const { return i == this->first[d] ? T(0) : axis.half[i]; }
};

}  // namespace poisson
