#pragma once

#include <cstdint>

#include "backends/memory/view.hpp"
#include "grids/rows/stencil.hpp"

/// The assembly modes of the node-centred finite volumes implement one concept:
///
///   auto line = coefficients.line(j, k);   the data that is constant along a line of x
///   Row<T> a  = line.row(i);               the stencil of row i
///   Row<T> a  = line.interior(i);          the same for 0 < i < n_x − 1, where it may be cheaper; a Line that is
///                                          `uniform` has no interior
///   T m       = line.mass(i);              the volume that unknown i represents, in its own unit
///
/// Rows carry the operator's power-of-two scale. Lengths are in units of each axis (CoefficientTables). The structs do
/// not use the containers of the standard library.
namespace poisson {

/// Points to the tables of one axis, which may be read from index −1 to n (Axis documents the entries at both ends).
template <class T>
struct AxisTable {
  const T* coupling = nullptr;  ///< scaled κ_d / h between i and i + 1; Robin ends: α
  const T* mass = nullptr;      ///< length that value i represents
  const T* half = nullptr;      ///< half cell width
  const T* inverse = nullptr;   ///< scaled 1/h over cell i; is 0 beyond the ends
};

/// Implements Coefficients for constant κ on axes of equal cells. It needs no arrays in memory. Comparisons of indices
/// select the half cells at ends that are not periodic.
template <class T>
struct Equidistant {
  struct Direction {
    T coupling, lower, upper;       ///< `lower` and `upper` apply beyond the ends
    T mass, first_mass, last_mass;  ///< `first_mass` and `last_mass` apply at the ends
    int last;                       ///< last index

    constexpr T weight(int i) const { return i == 0 ? first_mass : i == last ? last_mass : mass; }
    constexpr T below(int i) const { return i == 0 ? lower : coupling; }
    constexpr T above(int i) const { return i == last ? upper : coupling; }
  };
  Direction x, y, z;
  T sigma;  ///< scaled σ

  struct Line {
    Direction x;
    T area, south, north, bottom, top, sigma;

    [[gnu::always_inline]] constexpr Row<T> with(T below, T above, T m) const {
      return {product(below, area), product(above, area), product(south, m), product(north, m),
              product(bottom, m),   product(top, m),      product(sigma, m)};
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

/// Implements Coefficients for constant κ on any axes, with one-dimensional tables that stay in cache.
template <class T>
struct TensorProduct {
  AxisTable<T> x, y, z;
  T sigma;
  int decoupled = -1;  ///< see LevelRows::decoupled

  struct Line {
    static constexpr bool ends_alike = true;  ///< rows at ends are computed as all others are
    AxisTable<T> x;
    T area, south, north, bottom, top, sigma;
    int decoupled;

    [[gnu::always_inline]] constexpr Row<T> row(int i) const {
      const T m = x.mass[i];
      return poisson::decoupled(
          Row<T>{product(x.coupling[i - 1], area), product(x.coupling[i], area), product(south, m), product(north, m),
                 product(bottom, m), product(top, m), product(sigma, m)},
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

/// Contains κ of one direction in the four cells of a layer around a column of nodes.
template <class T>
struct CellQuad {
  T sw, se, nw, ne;
};

/// Contains the contribution of a layer of cells to the rows of a column of nodes below and above it. For the faces
/// that cut the layer it sums κ over their part of the layer; each row uses half of the sum. `through` is the sum of κ
/// for the face between both nodes.
template <class T>
struct CellLayer {
  T west, east, south, north, through;
};

/// Computes rows of finite volumes for a column of nodes from κ in the four columns of cells around it. A face uses the
/// area-weighted mean of κ of the (up to four) cells that it cuts.
template <class T>
struct CellColumn {
  T w, e, s, n;                // half cell widths
  T west, east, south, north;  // 1/h to neighbours

  /// The arguments are κ of the three directions.
  [[gnu::always_inline]] constexpr CellLayer<T> layer(const CellQuad<T>& x, const CellQuad<T>& y,
                                                      const CellQuad<T>& z) const {
    return {sum_of_products(s, x.sw, n, x.nw), sum_of_products(s, x.se, n, x.ne), sum_of_products(w, y.sw, e, y.se),
            sum_of_products(w, y.nw, e, y.ne),
            sum_of_products(s, sum_of_products(w, z.sw, e, z.se), n, sum_of_products(w, z.nw, e, z.ne))};
  }
  /// Returns the row between two layers. `half_…` is half their thickness, `inverse_…` is 1/h towards the neighbours in
  /// z.
  [[gnu::always_inline]] constexpr Row<T> row(const CellLayer<T>& below, const CellLayer<T>& above, T half_below,
                                              T half_above, T inverse_below, T inverse_above, T reaction) const {
    const auto cut = [&](T CellLayer<T>::*side) {
      return sum_of_products(half_below, below.*side, half_above, above.*side);
    };
    return {product(west, cut(&CellLayer<T>::west)),
            product(east, cut(&CellLayer<T>::east)),
            product(south, cut(&CellLayer<T>::south)),
            product(north, cut(&CellLayer<T>::north)),
            product(inverse_below, below.through),
            product(inverse_above, above.through),
            reaction};
  }
};

/// Implements Coefficients for κ on cells; the other factors come from the tables of the axes. Diagonal tensors have
/// one array of cells for each direction. The reaction is either σ times the volume, or an array that contains σ times
/// the volume plus α times the area of Robin faces.
template <class T, bool Isotropic>
struct Partial {
  AxisTable<T> x, y, z;
  View<const T> kappa[Isotropic ? 1 : 3];
  View<const T> reaction;  ///< optional: data may be null
  T sigma;
  int decoupled = -1;  ///< see LevelRows::decoupled

  /// Points to κ of one direction in the four columns of cells around a line of nodes (s, n: south, north; b, t:
  /// bottom, top).
  struct Cells {
    const T *sb, *nb, *st, *nt;
  };
  struct Line {
    static constexpr bool ends_alike = true;
    AxisTable<T> x;
    Cells kappa[Isotropic ? 1 : 3];
    const T* weight;
    T factor;                                                     // reaction per weight
    T south_half, north_half, bottom_half, top_half;              // half cell widths
    T south_inverse, north_inverse, bottom_inverse, top_inverse;  // 1/h to neighbours
    T area;
    int decoupled;

    [[gnu::always_inline]] constexpr Row<T> row(int i) const {
      const CellColumn<T> column{x.half[i - 1],    x.half[i],    south_half,    north_half,
                                 x.inverse[i - 1], x.inverse[i], south_inverse, north_inverse};
      const auto quad = [&](const T* south, const T* north) {
        return CellQuad<T>{south[i - 1], south[i], north[i - 1], north[i]};
      };
      const Cells &kx = kappa[0], &ky = kappa[Isotropic ? 0 : 1], &kz = kappa[Isotropic ? 0 : 2];
      return poisson::decoupled(column.row(column.layer(quad(kx.sb, kx.nb), quad(ky.sb, ky.nb), quad(kz.sb, kz.nb)),
                                           column.layer(quad(kx.st, kx.nt), quad(ky.st, ky.nt), quad(kz.st, kz.nt)),
                                           bottom_half, top_half, bottom_inverse, top_inverse, factor * weight[i]),
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
    l.area = y.mass[j] * z.mass[k];
    l.weight = reaction.data ? reaction.line(j, k) : x.mass;
    l.factor = reaction.data ? T(1) : sigma * l.area;
    l.south_half = y.half[j - 1];
    l.north_half = y.half[j];
    l.bottom_half = z.half[k - 1];
    l.top_half = z.half[k];
    l.south_inverse = y.inverse[j - 1];
    l.north_inverse = y.inverse[j];
    l.bottom_inverse = z.inverse[k - 1];
    l.top_inverse = z.inverse[k];
    l.decoupled = decoupled;
    return l;
  }

  /// Computes rows along z; row k lies between the layers of cells k − 1 and k. read(k) loads a layer from memory,
  /// layer(read) computes the layer, and `beside(k)` loads the other data of row k. The reaction of row k is `factor`
  /// times weight[k · stride]. If y has one value only, no value has a neighbour in the south or north, and reading may
  /// be `flat`.
  struct Beside {
    T half_below, half_above, inverse_below, inverse_above, reaction;
  };
  struct Column {
    const Partial& c;
    CellColumn<T> cells;
    int i, j;
    const T* weight;
    std::int64_t stride;
    T factor;

    template <bool flat>
    [[gnu::always_inline]] constexpr CellQuad<T> quad(int d, int k) const {
      const T* north = &c.kappa[d](i, j, k);
      if constexpr (flat) {
        const T west = north[-1], east = north[0];
        return {west, east, west, east};
      }
      const T* south = north - c.kappa[d].sy;
      return {south[-1], south[0], north[-1], north[0]};
    }
    // For three directions, the layer has fewer values than κ.
    template <bool flat = false>
    [[gnu::always_inline]] constexpr auto read(int k) const {
      if constexpr (Isotropic)
        return quad<flat>(0, k);
      else
        return cells.layer(quad<flat>(0, k), quad<flat>(1, k), quad<flat>(2, k));
    }
    [[gnu::always_inline]] constexpr CellLayer<T> layer(const CellQuad<T>& q) const { return cells.layer(q, q, q); }
    [[gnu::always_inline]] constexpr CellLayer<T> layer(const CellLayer<T>& l) const { return l; }
    [[gnu::always_inline]] constexpr Beside beside(int k) const {
      return {c.z.half[k - 1], c.z.half[k], c.z.inverse[k - 1], c.z.inverse[k], weight[k * stride]};
    }
    template <bool flat = false>
    [[gnu::always_inline]] constexpr Row<T> row(const CellLayer<T>& below, const CellLayer<T>& above,
                                                const Beside& b) const {
      return poisson::decoupled(coupled_row<flat>(below, above, b), c.decoupled);
    }
    /// Returns the row if no axis is decoupled.
    template <bool flat = false>
    [[gnu::always_inline]] constexpr Row<T> coupled_row(const CellLayer<T>& below, const CellLayer<T>& above,
                                                        const Beside& b) const {
      Row<T> row = cells.row(below, above, b.half_below, b.half_above, b.inverse_below, b.inverse_above,
                             product(factor, b.reaction));
      if constexpr (flat) row.south = row.north = T(0);
      return row;
    }
  };
  constexpr Column column(int i, int j) const {
    return {*this,
            {x.half[i - 1], x.half[i], y.half[j - 1], y.half[j], x.inverse[i - 1], x.inverse[i], y.inverse[j - 1],
             y.inverse[j]},
            i,
            j,
            reaction.data ? &reaction(i, j, 0) : z.mass,
            reaction.data ? reaction.sz : 1,
            reaction.data ? T(1) : sigma * x.mass[i] * y.mass[j]};
  }
  /// Calls f(address) for each value that a walk along z reads for the first time at (i, j, k).
  template <class F>
  constexpr void reads(int i, int j, int k, const F& f) const {
    for (const View<const T>& cells : kappa) f(&cells(i, j, k));
    if (reaction.data) f(&reaction(i, j, k));
  }
};

}  // namespace poisson
