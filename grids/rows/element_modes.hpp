#pragma once

#include "grids/rows/box_coefficients.hpp"

/// Products with trilinear elements of isotropic κ, cell by cell in modes. The sum s and the difference d of an
/// interval's two ends are eigenvectors of its matrices,
///
///   mass:  s → S s,  d → D d,  S = (own + off)/2,  D = (own − off)/2;    stiffness:  s → 0,  d → d/h,
///
/// when the ends take vs − vd and vs + vd of what comes out. A cell's matrix is diagonal in the eight products of such
/// modes, (s,s,s) vanishes but for σ, and every other one is a combination of differences: they are taken before
/// anything is weighted, so that a constant is mapped to zero exactly.
namespace poisson {

/// A cell along x or y. In the end every difference along the axis is multiplied with D: where stiffness takes it, it
/// has been multiplied with 1/(h D) before.
template <class T>
struct CellModes {
  T sum;         ///< S
  T difference;  ///< D
  T ratio;       ///< 1/(h D); beyond open ends, where there is no stiffness, zero

  constexpr CellModes() = default;
  constexpr CellModes(const BoxAxis<T>& a, int cell)
      : sum((a.own[cell] + a.off[cell]) / 2),
        difference((a.own[cell] - a.off[cell]) / 2),
        ratio(difference > T(0) ? a.inverse[cell] / difference : T(0)) {}
};

/// Walks along z through the cells of one column in x and of rows + 1 in y: through those around `rows` lines of nodes
/// on either side of the column. `weighted`: the diagonal is wanted too.
template <class T, int rows, bool weighted>
class ElementWalk {
 public:
  static constexpr int lines = rows + 2, cells = rows + 1;

  /// The values on both sides of the column: of the lines of nodes, from the one before the rows to the one behind.
  struct Plane {
    T left[lines], right[lines];
  };
  /// A layer of cells; σ is not read without reaction.
  struct Layer {
    T own, off, inverse;  ///< of z
    T kappa[cells], sigma[cells];
  };
  /// What the column's cells give to the nodes of a plane; the diagonal's share is the same on both sides.
  struct Shares {
    T left[rows], right[rows], diagonal[rows];
    T centre[rows];  ///< the values on the left
  };

  constexpr ElementWalk(const CellModes<T>& x, const CellModes<T> (&y)[cells]) : x_(x) {
    for (int c = 0; c < cells; ++c) y_[c] = y[c];
  }

  /// The plane below the first layer.
  constexpr void start(const Plane& plane) {
    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      value_[r] = plane.left[r];
      slope_[r] = plane.right[r] - plane.left[r];
    });
  }

  /// Takes the next layer and the plane above it; returns what the layers so far give to the plane below it. That is
  /// all that the column gives, but for the plane that the walk started with.
  template <bool reacts>
  [[gnu::always_inline]] constexpr Shares next(const Layer& layer, const Plane& above) {
    const T mass_sum = (layer.own + layer.off) / 2, mass_difference = (layer.own - layer.off) / 2;
    Shares shares{};
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      shares.centre[r] = value_[r + 1];
    });

    if constexpr (weighted) {
      // An end's mass with itself is S + D; sums of them would be kept in registers, being the same in every layer.
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

    // Along x and z: of each line the difference along z on the left, and of the differences along x that and the sum.
    T rise[lines] = {}, slope[lines] = {}, twist[lines] = {}, slopes[lines] = {};
    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      slope[r] = above.right[r] - above.left[r];
      rise[r] = above.left[r] - value_[r];
      twist[r] = slope[r] - slope_[r];
      slopes[r] = slope[r] + slope_[r];
    });

    // Along y, with the cells' weights: modes are named by x and y, with their sum and difference along z.
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

    // Back along y and x.
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      const Modes &south = below[r], &north = below[r + 1];
      const CellModes<T>&a = y_[r], &b = y_[r + 1];
      const T s = a.sum * south.ss + a.difference * south.sd + b.sum * north.ss - b.difference * north.sd;
      const T d = a.sum * south.ds + a.difference * south.dd + b.sum * north.ds - b.difference * north.dd;
      shares.left[r] = x_.sum * s - x_.difference * d;
      shares.right[r] = x_.sum * s + x_.difference * d;
    });

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

  /// A layer's share in a mode: to the plane below the sum along z minus the difference, to the one above both.
  [[gnu::always_inline]] static constexpr void add(T& below, T& above, T mass, T sum, T across, T difference) {
    const T flux = across * difference;
    below = below - flux + mass * sum;
    above = flux + mass * sum;
  }

  CellModes<T> x_;
  CellModes<T> y_[cells];
  T value_[lines] = {}, slope_[lines] = {};  ///< of the plane below the next layer: on the left, and along x
  Modes at_[cells] = {};                     ///< what the layer below that plane gives to it
  T diagonal_[rows] = {};
};

}  // namespace poisson
