#pragma once

#include "grids/rows/coefficients.hpp"

/// The assembly mode `recompute` evaluates the expression of κ wherever a row needs it. This file does not use the
/// standard library.
namespace poisson {

/// Contains the data of rows other than the expression. Cells are evaluated at their centres.
template <class T>
struct RecomputeTables {
  AxisTable<T> x, y, z;
  /// These are the coordinates of the centres of cells −1 … n. Beyond open ends the coordinate is that of the face,
  /// where a separate half face with its own κ lies.
  const double *cx = nullptr, *cy = nullptr, *cz = nullptr;
  View<const T> reaction;  ///< optional: data may be null
  T sigma;
  /// These are the indices of the values on open (not periodic) ends; negative if there is no such end.
  int first[3], last[3];
};

/// Replaces the Kappa of code that is compiled at run time, so that the host can lay out the data that this code reads.
struct KappaAtRunTime {
  static constexpr int count = 1;
  template <int d>
  static double at(double x, double y, double z);
};

/// Implements Coefficients. Kappa has `count`, which is 1 for an isotropic κ and otherwise 3, and at<d>(x, y, z), which
/// returns κ of direction d. This function uses double arithmetic like the host: a cell next to a jump is on the same
/// side in every precision and mode.
template <class T, class Kappa>
struct Recompute : RecomputeTables<T> {
  /// See Partial::Column.
  struct Column {
    const Recompute& c;
    CellColumn<T> cells;
    T area;
    double xw, xe, ys, yn;  // cell coordinates
    int i, j;

    template <int d>
    constexpr CellQuad<T> quad(int k) const {
      const double z = c.cz[k];
      return {static_cast<T>(Kappa::template at<d>(xw, ys, z)), static_cast<T>(Kappa::template at<d>(xe, ys, z)),
              static_cast<T>(Kappa::template at<d>(xw, yn, z)), static_cast<T>(Kappa::template at<d>(xe, yn, z))};
    }
    /// Loads layer k of the column, −1 ≤ k ≤ n_z.
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
  // Return the widths of the half cells below and above value i. On an open end the half cell outside uses κ of the
  // face for both halves.
  constexpr T lower(int d, const AxisTable<T>& axis, int i) const {
    return i == this->last[d] ? T(0) : axis.half[i - 1];
  }
  constexpr T upper(int d, const AxisTable<T>& axis, int i) const { return i == this->first[d] ? T(0) : axis.half[i]; }
};

}  // namespace poisson
