#pragma once

#include <cstdint>

#include "backends/memory/view.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson {

/// Implements Coefficients (grids/rows/coefficients.hpp) for cell-centred finite volumes with varying κ. κ is stored on
/// the faces, one array for each direction: half of the symmetric couplings. Distances and areas come from the tables
/// of the axes. Value i of an array belongs to the face below cell i (grids/operators/faces.hpp).
template <class T>
struct Faces {
  AxisTable<T> x, y, z;
  View<const T> kappa[3];
  View<const T> reaction;  ///< σ times the volume; optional: data may be null
  T sigma;
  int decoupled = -1;  ///< see LevelRows::decoupled

  struct Line {
    static constexpr bool ends_alike = true;  ///< rows at ends are made as all others are
    const T *inverse, *mass_x;
    const T *west, *south, *north, *bottom, *top;  ///< κ; the east face of cell i is west[i + 1]
    const T* weight;
    T factor;  ///< reaction per weight
    T area, south_factor, north_factor, bottom_factor, top_factor;
    int decoupled;

    [[gnu::always_inline]] constexpr Row<T> row(int i) const {
      const T m = mass_x[i];
      return poisson::decoupled(
          Row<T>{product(inverse[i - 1] * area, west[i]), product(inverse[i] * area, west[i + 1]),
                 product(south_factor * m, south[i]), product(north_factor * m, north[i]),
                 product(bottom_factor * m, bottom[i]), product(top_factor * m, top[i]), product(factor, weight[i])},
          decoupled);
    }
    [[gnu::always_inline]] constexpr Row<T> interior(int i) const { return row(i); }
    constexpr T mass(int i) const { return area * mass_x[i]; }
  };
  constexpr Line line(int j, int k) const {
    Line l{};
    const T my = y.mass[j], mz = z.mass[k];
    l.inverse = x.inverse;
    l.mass_x = x.mass;
    l.west = kappa[0].line(j, k);
    l.south = kappa[1].line(j, k);
    l.north = kappa[1].line(j + 1, k);
    l.bottom = kappa[2].line(j, k);
    l.top = kappa[2].line(j, k + 1);
    l.area = my * mz;
    l.weight = reaction.data ? reaction.line(j, k) : x.mass;
    l.factor = reaction.data ? T(1) : sigma * l.area;
    l.south_factor = y.inverse[j - 1] * mz;
    l.north_factor = y.inverse[j] * mz;
    l.bottom_factor = z.inverse[k - 1] * my;
    l.top_factor = z.inverse[k] * my;
    l.decoupled = decoupled;
    return l;
  }

  /// Contains the values that row k reads first (see Partial::Column): κ on the faces around cell k, except for the
  /// face below it.
  struct Layer {
    T west, east, south, north, top;
  };
  struct Beside {
    T height, inverse_below, inverse_above, reaction;
  };
  struct Column {
    const Faces& c;
    T west, east, south, north, through;  ///< are area/distance; the first four are per unit of z
    int i, j;
    const T* weight;
    std::int64_t stride;
    T factor;

    template <bool flat = false>
    [[gnu::always_inline]] constexpr Layer read(int k) const {
      return {c.kappa[0](i, j, k), c.kappa[0](i + 1, j, k), flat ? T(0) : c.kappa[1](i, j, k),
              flat ? T(0) : c.kappa[1](i, j + 1, k), c.kappa[2](i, j, k + 1)};
    }
    [[gnu::always_inline]] constexpr Layer layer(const Layer& l) const { return l; }
    [[gnu::always_inline]] constexpr Beside beside(int k) const {
      return {c.z.mass[k], c.z.inverse[k - 1], c.z.inverse[k], weight[k * stride]};
    }
    template <bool flat = false>
    [[gnu::always_inline]] constexpr Row<T> row(const Layer& below, const Layer& here, const Beside& b) const {
      return poisson::decoupled(coupled_row<flat>(below, here, b), c.decoupled);
    }
    /// Returns the row if no axis is decoupled.
    template <bool flat = false>
    [[gnu::always_inline]] constexpr Row<T> coupled_row(const Layer& below, const Layer& here, const Beside& b) const {
      return {product(west * b.height, here.west),
              product(east * b.height, here.east),
              flat ? T(0) : product(south * b.height, here.south),
              flat ? T(0) : product(north * b.height, here.north),
              product(b.inverse_below * through, below.top),
              product(b.inverse_above * through, here.top),
              product(factor, b.reaction)};
    }
  };
  constexpr Column column(int i, int j) const {
    const T mx = x.mass[i], my = y.mass[j];
    return {*this,
            x.inverse[i - 1] * my,
            x.inverse[i] * my,
            y.inverse[j - 1] * mx,
            y.inverse[j] * mx,
            mx * my,
            i,
            j,
            reaction.data ? &reaction(i, j, 0) : z.mass,
            reaction.data ? reaction.sz : 1,
            reaction.data ? T(1) : sigma * mx * my};
  }
  /// See Partial::reads.
  template <class F>
  constexpr void reads(int i, int j, int k, const F& f) const {
    f(&kappa[0](i, j, k));
    f(&kappa[1](i, j, k));
    f(&kappa[2](i, j, k + 1));
    if (reaction.data) f(&reaction(i, j, k));
  }
};

}  // namespace poisson
