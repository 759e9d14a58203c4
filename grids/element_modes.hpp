#pragma once

#include "grids/box_coefficients.hpp"

/// Products with trilinear elements of isotropic κ, cell by cell in modes. The sum s and the difference d of an
/// interval's two ends are eigenvectors of its matrices,
///
///   mass:  s → S s,  d → D d,  S = (own + off)/2,  D = (own − off)/2;    stiffness:  s → 0,  d → d/h,
///
/// when the ends take vs − vd and vs + vd of what comes out. A cell's matrix is diagonal in the eight products of such
/// modes, (s,s,s) vanishes but for σ, and every other one is a combination of differences: they are taken before
/// anything is weighted, so that a constant is mapped to zero exactly.
namespace poisson {

/// A cell along x or y. What differences are multiplied with in the end, 1/h, is split off: D = ratio · slope. Beyond
/// open ends, where κ is zero, slope stands for what D is there.
template <class T>
struct CellModes {
  T sum;    ///< S
  T slope;  ///< 1/h
  T ratio;

  constexpr CellModes() = default;
  constexpr CellModes(const BoxAxis<T>& a, int cell) {
    const T difference = (a.own[cell] - a.off[cell]) / 2;
    sum = (a.own[cell] + a.off[cell]) / 2;
    slope = a.inverse[cell] > T(0) ? a.inverse[cell] : difference;
    ratio = slope > T(0) ? difference / slope : T(0);
  }
  constexpr T own() const { return sum + ratio * slope; }
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
    unrolled<0, cells>([&](auto number) __attribute__((always_inline)) {
      constexpr int c = decltype(number)::value;
      const T ratios = x.ratio + y[c].ratio;
      y_[c] = {y[c].sum, y[c].slope, y[c].ratio, ratios > T(0) ? x.ratio * (y[c].ratio / ratios) : T(0),
               y[c].slope * ratios};
    });
  }

  /// The plane below the first layer.
  constexpr void start(const Plane& plane) {
    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      value_[r] = plane.left[r];
      slope_[r] = plane.right[r] - plane.left[r];
    });
  }

  /// Takes the next layer and the plane above it; returns what the layers so far give to the plane below it, which is
  /// all that the column gives to it but for the first plane's.
  template <bool reacts>
  [[gnu::always_inline]] constexpr Shares next(const Layer& layer, const Plane& above) {
    const T mass_sum = (layer.own + layer.off) / 2, mass_difference = (layer.own - layer.off) / 2;
    Shares shares{};
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      shares.centre[r] = value_[r + 1];
    });

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
      const T mass = kappa * mass_sum;
      const T along = kappa * mass_difference;
      T across = kappa * layer.inverse, weight_ds = mass, weight_sd = mass, weight_dd = mass;
      below[c] = at_[c];
      if constexpr (reacts) {
        const T reaction = layer.sigma[c] * mass_sum;
        across += layer.sigma[c] * mass_difference;
        weight_ds += x_.ratio * reaction;
        weight_sd += y_[c].ratio * reaction;
        weight_dd += y_[c].both * reaction;
        const T left = value_[c] + value_[c + 1] + above.left[c] + above.left[c + 1];
        add(below[c].ss, at_[c].ss, reaction * (T(2) * left + ds_sum), across * ss);
      } else {
        below[c].ss -= across * ss;
        at_[c].ss = across * ss;
      }
      add(below[c].ds, at_[c].ds, weight_ds * ds_sum, (along + x_.ratio * across) * ds);
      add(below[c].sd, at_[c].sd, weight_sd * sd_sum, (along + y_[c].ratio * across) * sd);
      add(below[c].dd, at_[c].dd, weight_dd * dd_sum, (along + y_[c].both * across) * dd);
    });

    // Back along y and x.
    unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      const Modes &south = below[r], &north = below[r + 1];
      const Along &a = y_[r], &b = y_[r + 1];
      const T s = a.sum * south.ss + a.slope * south.sd + b.sum * north.ss - b.slope * north.sd;
      const T d = a.sum * south.ds + a.slopes * south.dd + b.sum * north.ds - b.slopes * north.dd;
      shares.left[r] = x_.sum * s - x_.slope * d;
      shares.right[r] = x_.sum * s + x_.slope * d;
    });

    if constexpr (weighted) {
      const T own = x_.own(), mass = own * layer.own, stiff = x_.slope * layer.own + own * layer.inverse;
      T both[cells] = {};
      unrolled<0, cells>([&](auto number) __attribute__((always_inline)) {
        constexpr int c = decltype(number)::value;
        const T own_y = y_[c].sum + y_[c].ratio * y_[c].slope;
        T diagonal = layer.kappa[c] * (own_y * stiff + y_[c].slope * mass);
        if constexpr (reacts) diagonal += layer.sigma[c] * (own_y * mass);
        both[c] = diagonal_[c] + diagonal;
        diagonal_[c] = diagonal;
      });
      unrolled<0, rows>([&](auto number) __attribute__((always_inline)) {
        constexpr int r = decltype(number)::value;
        shares.diagonal[r] = both[r] + both[r + 1];
      });
    }

    unrolled<0, lines>([&](auto number) __attribute__((always_inline)) {
      constexpr int r = decltype(number)::value;
      value_[r] = above.left[r];
      slope_[r] = slope[r];
    });
    return shares;
  }

 private:
  struct Along {
    T sum, slope, ratio;
    T both;    ///< what the mode of differences along x and y has for a ratio
    T slopes;  ///< and what it is multiplied with in the end, but for x's slope
  };
  struct Modes {
    T ss, ds, sd, dd;
  };

  /// A layer's share in a mode: to the plane below the sum along z minus the difference, to the one above both.
  [[gnu::always_inline]] static constexpr void add(T& below, T& above, T sum, T difference) {
    below += sum - difference;
    above = sum + difference;
  }

  CellModes<T> x_;
  Along y_[cells] = {};
  T value_[lines] = {}, slope_[lines] = {};  ///< of the plane below the next layer: on the left, and along x
  Modes at_[cells] = {};                     ///< what the layer below that plane gives to it
  T diagonal_[cells] = {};
};

}  // namespace poisson
