#pragma once

#include "grids/rows/box_coefficients.hpp"

/// Products with trilinear elements of isotropic κ are computed cell by cell in modes. The sum s and the difference d
/// of the two ends of an interval are eigenvectors of its matrices:
///
///   mass:  s → S s,  d → D d,  S = (own + off)/2,  D = (own − off)/2;    stiffness:  s → 0,  d → d/h.
///
/// Here the two ends receive vs − vd and vs + vd of the result (vs, vd). The matrix of a cell is diagonal in the eight
/// products of such modes. Without σ the mode (s,s,s) vanishes, and every other mode is a combination of differences.
/// The code computes these differences before it weights anything, so that a constant is mapped to zero exactly.
namespace poisson {

/// Contains the factors of a cell along x or y. Every difference along the axis is finally multiplied by D. Differences
/// that belong to the stiffness are therefore multiplied by 1/(h D) first.
template <class T>
struct CellModes {
  T sum;         ///< S
  T difference;  ///< D
  T ratio;       ///< 1/(h D); zero beyond open ends, which have no stiffness

  constexpr CellModes() = default;
  constexpr CellModes(const BoxAxis<T>& a, int cell)
      : sum((a.own[cell] + a.off[cell]) / 2),
        difference((a.own[cell] - a.off[cell]) / 2),
        ratio(difference > T(0) ? a.inverse[cell] / difference : T(0)) {}
};

/// Walks along z through the cells of one column in x and of rows + 1 columns in y, which surround `rows` lines of
/// nodes on either side of the column. `weighted` means that the walk also computes the diagonal.
template <class T, int rows, bool weighted>
class ElementWalk {
 public:
  static constexpr int lines = rows + 2, cells = rows + 1;

  /// Contains the values on both sides of the column, from the line of nodes before the rows to the line behind them.
  struct Plane {
    T left[lines], right[lines];
  };
  /// Contains the data of a layer of cells. Only steps with reaction read σ.
  struct Layer {
    T own, off, inverse;  ///< along z
    T kappa[cells], sigma[cells];
  };
  /// Contains the contributions of the column's cells to the nodes of a plane. The diagonal's share is the same on both
  /// sides.
  struct Shares {
    T left[rows], right[rows], diagonal[rows];
    T centre[rows];  ///< left values
  };

  constexpr ElementWalk(const CellModes<T>& x, const CellModes<T> (&y)[cells]) : x_(x) {
    for (int c = 0; c < cells; ++c) y_[c] = y[c];
  }

  /// Sets the plane below the first layer.
  constexpr void start(const Plane& plane) {
    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      value_[r] = plane.left[r];
      slope_[r] = plane.right[r] - plane.left[r];
    });
  }

  /// Adds the next layer and the plane above it. Returns the contributions of all layers so far to the plane below.
  /// Except for the first plane of the walk, the column's contributions to that plane are then complete.
  template <bool reacts>
  [[gnu::always_inline]] constexpr Shares next(const Layer& layer, const Plane& above) {
    const T mass_sum = (layer.own + layer.off) / 2, mass_difference = (layer.own - layer.off) / 2;
    Shares shares{};
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      shares.centre[r] = value_[r + 1];
    });

    if constexpr (weighted) add_diagonal<reacts>(layer, shares);

    // Compute the differences along x and z. Each line has its difference along z on the left; for the differences
    // along x, each line has their difference and their sum along z.
    T rise[lines] = {}, slope[lines] = {}, twist[lines] = {}, slopes[lines] = {};
    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      slope[r] = above.right[r] - above.left[r];
      rise[r] = above.left[r] - value_[r];
      twist[r] = slope[r] - slope_[r];
      slopes[r] = slope[r] + slope_[r];
    });

    // Along y, with the weights of the cells: modes are named after x and y, and each has a sum and a difference along
    // z.
    Modes below[cells] = {};
    unrolled<0, cells>([&](auto number) __attribute__((always_inline)) {
      constexpr int c = decltype(number)::value;
      const T kappa = layer.kappa[c];
      const T step = value_[c + 1] - value_[c], change = rise[c + 1] - rise[c];
      const T ds_sum = slopes[c] + slopes[c + 1], ds = twist[c] + twist[c + 1];
      const T dd_sum = slopes[c + 1] - slopes[c], dd = twist[c + 1] - twist[c];
      const T sd_sum = T(2) * (T(2) * step + change) + dd_sum, sd = T(2) * change + dd;
      const T ss = T(2) * (rise[c] + rise[c + 1]) + ds;
      const T mass = kappa * mass_sum, along = kappa * mass_difference;
      T across = kappa * layer.inverse, mass_ds = x_.ratio * mass, mass_sd = y_[c].ratio * mass;
      T mass_dd = mass_ds + mass_sd;
      below[c] = at_[c];
      if constexpr (reacts) {
        const T reaction = layer.sigma[c] * mass_sum;
        across += layer.sigma[c] * mass_difference;
        mass_ds += reaction;
        mass_sd += reaction;
        mass_dd += reaction;
        const T left = value_[c] + value_[c + 1] + above.left[c] + above.left[c + 1];
        add(below[c].ss, at_[c].ss, reaction, T(2) * left + ds_sum, across, ss);
      } else {
        at_[c].ss = across * ss;
        below[c].ss -= at_[c].ss;
      }
      const T across_sd = y_[c].ratio * along + across;
      add(below[c].ds, at_[c].ds, mass_ds, ds_sum, x_.ratio * along + across, ds);
      add(below[c].sd, at_[c].sd, mass_sd, sd_sum, across_sd, sd);
      add(below[c].dd, at_[c].dd, mass_dd, dd_sum, x_.ratio * along + across_sd, dd);
    });

    transform_back(below, shares);
    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      value_[r] = above.left[r];
      slope_[r] = slope[r];
    });
    return shares;
  }

 private:
  struct Modes {
    T ss, ds, sd, dd;
  };

  /// Adds the diagonal of a layer.
  template <bool reacts>
  [[gnu::always_inline]] constexpr void add_diagonal(const Layer& layer, Shares& shares) {
    // An end's mass with itself is S + D. Sums of this kind would occupy registers, because they are the same in
    // every layer.
    const T mass = x_.sum * layer.own + x_.difference * layer.own;
    const T stiff = x_.sum * layer.inverse + x_.difference * (x_.ratio * layer.own + layer.inverse);
    T of_cell[cells] = {};
    unrolled<0, cells>([&](auto number) __attribute__((always_inline)) {
      constexpr int c = decltype(number)::value;
      of_cell[c] = layer.kappa[c] * (y_[c].sum * stiff + y_[c].difference * (y_[c].ratio * mass + stiff));
      if constexpr (reacts) of_cell[c] += layer.sigma[c] * (y_[c].sum * mass + y_[c].difference * mass);
    });
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      const T share = of_cell[r] + of_cell[r + 1];
      shares.diagonal[r] = diagonal_[r] + share;
      diagonal_[r] = share;
    });
  }
  /// Transforms the modes of the plane below back along y and x.
  [[gnu::always_inline]] constexpr void transform_back(const Modes (&below)[cells], Shares& shares) const {
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      const Modes &south = below[r], &north = below[r + 1];
      const CellModes<T>&a = y_[r], &b = y_[r + 1];
      const T s = a.sum * south.ss + a.difference * south.sd + b.sum * north.ss - b.difference * north.sd;
      const T d = a.sum * south.ds + a.difference * south.dd + b.sum * north.ds - b.difference * north.dd;
      shares.left[r] = x_.sum * s - x_.difference * d;
      shares.right[r] = x_.sum * s + x_.difference * d;
    });
  }

  /// Adds a layer's share in a mode: the plane below gets the sum along z minus the difference, the plane above gets
  /// both added.
  [[gnu::always_inline]] static constexpr void add(T& below, T& above, T mass, T sum, T across, T difference) {
    const T flux = across * difference;
    below = below - flux + mass * sum;
    above = flux + mass * sum;
  }

  CellModes<T> x_;
  CellModes<T> y_[cells];
  /// The values on the left and the differences along x belong to the plane below the next layer.
  T value_[lines] = {}, slope_[lines] = {};
  Modes at_[cells] = {};  ///< the layer below adds this to that plane
  T diagonal_[rows] = {};
};

}  // namespace poisson
