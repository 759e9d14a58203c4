#pragma once

#include <cstdint>

#include "backends/view.hpp"
#include "grids/stencil.hpp"

/// The assembly modes of the node-centred finite volumes, as models of one concept:
///
///   auto line = coefficients.line(j, k);   what is the same along a line of x
///   Row<T> a  = line.row(i);               the whole stencil of row i
///   Row<T> a  = line.interior(i);          the same for 0 < i < n_x − 1, where it may be cheaper
///   T m       = line.mass(i);              the volume that unknown i stands for, in a unit of its own
///
/// Rows carry the operator's power-of-two scale; lengths are in units of each axis (CoefficientTables). Free of the
/// standard library's containers.
namespace poisson {

/// The table of one axis: arrays that may be read from index −1 to n (Axis says what stands there).
template <class T>
struct AxisTable {
  const T* coupling = nullptr;  ///< scaled κ_d / h between i and i + 1; Robin ends: α
  const T* mass = nullptr;      ///< length that value i stands for
  const T* half = nullptr;      ///< half the width of cell i
  const T* inverse = nullptr;   ///< scaled 1/h over cell i; 0 beyond the ends
};

/// Constant κ on axes of equal cells: nothing in memory. Half cells at ends that are not periodic are selected by
/// index comparison.
template <class T>
struct Equidistant {
  struct Direction {
    T coupling, lower, upper;  ///< between unknowns, past the lower and past the upper end
    T mass, end_mass;          ///< inside and at the ends
    int last;                  ///< index of the last value

    constexpr T weight(int i) const { return i == 0 || i == last ? end_mass : mass; }
    constexpr T below(int i) const { return i == 0 ? lower : coupling; }
    constexpr T above(int i) const { return i == last ? upper : coupling; }
  };
  Direction x, y, z;
  T sigma;  ///< scaled σ

  struct Line {
    Direction x;
    T area, south, north, bottom, top, sigma;

    [[gnu::always_inline]] constexpr Row<T> with(T below, T above, T m) const {
      return {below * area, above * area, south * m, north * m, bottom * m, top * m, sigma * m};
    }
    [[gnu::always_inline]] constexpr Row<T> row(int i) const { return with(x.below(i), x.above(i), x.weight(i)); }
    [[gnu::always_inline]] constexpr Row<T> interior(int) const { return with(x.coupling, x.coupling, x.mass); }
    constexpr T mass(int i) const { return area * x.weight(i); }
  };
  constexpr Line line(int j, int k) const {
    const T my = y.weight(j), mz = z.weight(k);
    return {x, my * mz, y.below(j) * mz, y.above(j) * mz, z.below(k) * my, z.above(k) * my, sigma * my * mz};
  }
};

/// Constant κ on any axes: one-dimensional tables, which stay in cache.
template <class T>
struct TensorProduct {
  AxisTable<T> x, y, z;
  T sigma;
  int decoupled = -1;  ///< the axis of RowData::decoupled

  struct Line {
    AxisTable<T> x;
    T area, south, north, bottom, top, sigma;
    int decoupled;

    [[gnu::always_inline]] constexpr Row<T> row(int i) const {
      const T m = x.mass[i];
      return poisson::decoupled(
          Row<T>{x.coupling[i - 1] * area, x.coupling[i] * area, south * m, north * m, bottom * m, top * m, sigma * m},
          decoupled);
    }
    [[gnu::always_inline]] constexpr Row<T> interior(int i) const { return row(i); }
    constexpr T mass(int i) const { return area * x.mass[i]; }
  };
  constexpr Line line(int j, int k) const {
    const T my = y.mass[j], mz = z.mass[k];
    return {x,
            my * mz,
            y.coupling[j - 1] * mz,
            y.coupling[j] * mz,
            z.coupling[k - 1] * my,
            z.coupling[k] * my,
            sigma * my * mz,
            decoupled};
  }
};

/// κ on the cells, the rest from the axes' tables. The face between two unknowns takes the area-weighted mean of the
/// (up to four) cells that it cuts. Diagonal tensors have one array of cells per direction.
/// The reaction is either σ times the volume or an array that holds σ times the volume plus α times the area of Robin
/// faces.
template <class T, bool Isotropic>
struct Partial {
  AxisTable<T> x, y, z;
  View<const T> kappa[Isotropic ? 1 : 3];
  View<const T> reaction;  ///< optional: data may be null
  T sigma;
  int decoupled = -1;  ///< the axis of RowData::decoupled

  /// The κ of one direction in the four columns of cells around a line of nodes; s, n: south, north; b, t: bottom, top.
  struct Cells {
    const T *sb, *nb, *st, *nt;
  };
  struct Line {
    AxisTable<T> x;
    Cells kappa[Isotropic ? 1 : 3];
    const T* reaction;
    T south_half, north_half, bottom_half, top_half;              // half widths of the cells around
    T south_inverse, north_inverse, bottom_inverse, top_inverse;  // 1/h towards the neighbours
    T area, sigma;
    int decoupled;

    [[gnu::always_inline]] constexpr Row<T> row(int i) const {
      const Cells& kx = kappa[0];
      const Cells& ky = kappa[Isotropic ? 0 : 1];
      const Cells& kz = kappa[Isotropic ? 0 : 2];
      const T w = x.half[i - 1], e = x.half[i];
      const auto yz = [&](int c) {
        return bottom_half * (south_half * kx.sb[c] + north_half * kx.nb[c]) +
               top_half * (south_half * kx.st[c] + north_half * kx.nt[c]);
      };
      const auto pair = [&](const T* k) { return w * k[i - 1] + e * k[i]; };
      return poisson::decoupled(Row<T>{x.inverse[i - 1] * yz(i - 1), x.inverse[i] * yz(i),
                                       south_inverse * (bottom_half * pair(ky.sb) + top_half * pair(ky.st)),
                                       north_inverse * (bottom_half * pair(ky.nb) + top_half * pair(ky.nt)),
                                       bottom_inverse * (south_half * pair(kz.sb) + north_half * pair(kz.nb)),
                                       top_inverse * (south_half * pair(kz.st) + north_half * pair(kz.nt)),
                                       reaction ? reaction[i] : sigma * x.mass[i]},
                                decoupled);
    }
    [[gnu::always_inline]] constexpr Row<T> interior(int i) const { return row(i); }
    constexpr T mass(int i) const { return area * x.mass[i]; }
  };
  constexpr Line line(int j, int k) const {
    Line l{};
    l.x = x;
    for (int d = 0; d < (Isotropic ? 1 : 3); ++d) {
      const View<const T>& cells = kappa[d];
      l.kappa[d] = {cells.line(j - 1, k - 1), cells.line(j, k - 1), cells.line(j - 1, k), cells.line(j, k)};
    }
    l.reaction = reaction.data ? reaction.line(j, k) : nullptr;
    l.south_half = y.half[j - 1];
    l.north_half = y.half[j];
    l.bottom_half = z.half[k - 1];
    l.top_half = z.half[k];
    l.south_inverse = y.inverse[j - 1];
    l.north_inverse = y.inverse[j];
    l.bottom_inverse = z.inverse[k - 1];
    l.top_inverse = z.inverse[k];
    l.area = y.mass[j] * z.mass[k];
    l.sigma = sigma * l.area;
    l.decoupled = decoupled;
    return l;
  }
};

}  // namespace poisson
