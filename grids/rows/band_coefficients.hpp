#pragma once

#include <cstdint>

#include "backends/view.hpp"
#include "grids/rows/box_stencil.hpp"

/// Full assembly: every band of the matrix an array of its own, of the symmetric matrix the half that points forward.
/// Models of the concept Coefficients (grids/rows/coefficients.hpp).
namespace poisson {

/// The bands of a row's shape: the sum of the row, then the couplings to the neighbours that follow in memory, in
/// order. A star in two dimensions leaves its last null.
template <class Row>
inline constexpr int band_count = 0;
template <class T>
inline constexpr int band_count<Row<T>> = 4;
template <class T, int Dimension>
inline constexpr int band_count<BoxRow<T, Dimension>> = 1 + box_points<Dimension> / 2;

/// Lengths that the values of an axis stand for.
template <class T>
struct AxisMasses {
  const T* x = nullptr;
  const T* y = nullptr;
  const T* z = nullptr;
};

/// Bands over all values, halo of periodic axes filled; fields of one layout.
template <class T, int count>
struct BandViews {
  View<T> shape;  ///< of every band
  T* band[count];

  constexpr T* line(int b, int j, int k) const { return band[b] + j * shape.sy + k * shape.sz; }
};

/// Of 5- and 7-point rows; in two dimensions one of the bands across x is null.
template <class T>
struct StarBands {
  using Row = poisson::Row<T>;
  BandViews<const T, 4> bands;
  AxisMasses<T> axes;

  struct Line {
    static constexpr bool uniform = true;
    const T *sum, *east, *north, *top;
    const T* x;
    std::int64_t sy, sz;
    T area;

    [[gnu::always_inline]] constexpr Row row(int i) const {
      return {
          east[i - 1],         east[i], north ? north[i - sy] : T(0), north ? north[i] : T(0), top ? top[i - sz] : T(0),
          top ? top[i] : T(0), sum[i]};
    }
    constexpr T mass(int i) const { return area * x[i]; }
  };
  constexpr Line line(int j, int k) const {
    return {bands.line(0, j, k),
            bands.line(1, j, k),
            bands.band[2] ? bands.line(2, j, k) : nullptr,
            bands.band[3] ? bands.line(3, j, k) : nullptr,
            axes.x,
            bands.shape.sy,
            bands.shape.sz,
            axes.y[j] * axes.z[k]};
  }
};

/// Of 9- and 27-point rows.
template <class T, int Dimension>
struct BoxBands {
  using Row = BoxRow<T, Dimension>;
  static constexpr int count = band_count<Row>;
  BandViews<const T, count> bands;
  AxisMasses<T> axes;

  struct Line {
    static constexpr bool uniform = true;
    const T* band[count];
    const T* x;
    std::int64_t sy, sz;
    T area;

    [[gnu::always_inline]] constexpr Row row(int i) const {
      Row r{};
      r.at[box_centre<Dimension>] = band[0][i];
      unrolled<1, count>([&](auto n) __attribute__((always_inline)) {
        constexpr int b = decltype(n)::value, forward = box_centre<Dimension> + b;
        const std::int64_t dz = Dimension == 3 ? box_offset(forward, 2) * sz : 0;
        r.at[forward] = band[b][i];
        r.at[box_centre<Dimension> - b] = band[b][i - (box_offset(forward, 0) + box_offset(forward, 1) * sy + dz)];
      });
      return r;
    }
    constexpr T mass(int i) const { return area * x[i]; }
  };
  constexpr Line line(int j, int k) const {
    Line l{};
    for (int b = 0; b < count; ++b) l.band[b] = bands.line(b, j, k);
    l.x = axes.x;
    l.sy = bands.shape.sy;
    l.sz = bands.shape.sz;
    l.area = axes.y[j] * axes.z[k];
    return l;
  }
  /// As Partial::reads.
  template <class F>
  constexpr void reads(int i, int j, int k, const F& f) const {
    for (const T* band : bands.band) f(band + i + j * bands.shape.sy + k * bands.shape.sz);
  }
};

/// What the lines along an axis hold of rows that are no products of one-dimensional factors: a value's coupling to the
/// next one and what the diagonal has beside the couplings to both sides. Fields of one layout; the first value's
/// coupling to what lies before it stands in the halo.
template <class T>
struct LineBands {
  BandViews<const T, 2> bands;  ///< rest of the diagonal, coupling

  constexpr const T* rest() const { return bands.band[0]; }
  constexpr const T* coupling() const { return bands.band[1]; }
};

/// A row's couplings along an axis, and the rest of its diagonal.
template <class T>
struct LineRow {
  T before, after, rest;
};
template <class T>
[[gnu::always_inline]] constexpr LineRow<T> line_row(const Row<T>& a, int axis) {
  const T pair[3] = {a.west + a.east, a.south + a.north, a.bottom + a.top};
  return {axis == 0   ? a.west
          : axis == 1 ? a.south
                      : a.bottom,
          axis == 0   ? a.east
          : axis == 1 ? a.north
                      : a.top,
          a.reaction + (axis == 0 ? T(0) : pair[0]) + (axis == 1 ? T(0) : pair[1]) + (axis == 2 ? T(0) : pair[2])};
}
template <class T, int Dimension>
[[gnu::always_inline]] constexpr LineRow<T> line_row(const BoxRow<T, Dimension>& a, int axis) {
  const int stride = box_stride(axis);
  LineRow<T> line{before(a, axis), after(a, axis), 0};
  unrolled<0, box_points<Dimension>>([&](auto n) __attribute__((always_inline)) {
    constexpr int m = decltype(n)::value;
    if (m != box_centre<Dimension> - stride && m != box_centre<Dimension> + stride) line.rest += a.at[m];
  });
  return line;
}

/// The model of bands whose rows have a shape.
template <class Row>
struct BandsOf;
template <class T>
struct BandsOf<Row<T>> {
  using Type = StarBands<T>;
};
template <class T, int Dimension>
struct BandsOf<BoxRow<T, Dimension>> {
  using Type = BoxBands<T, Dimension>;
};

/// The bands of the row of the value (i, j, k). A star may couple its first and last values to the halo, where the data
/// of faces stand, and 0 behind Robin faces of nodes: such a coupling lies in the halo of the band as well.
template <class T>
[[gnu::always_inline]] constexpr void store_bands(const Row<T>& a, const bool (&periodic)[3],
                                                  const BandViews<T, 4>& bands, int i, int j, int k) {
  const T below[3] = {a.west, a.south, a.bottom}, above[3] = {a.east, a.north, a.top};
  const int place[3] = {i, j, k};
  const std::int64_t stride[3] = {1, bands.shape.sy, bands.shape.sz};
  bands.line(0, j, k)[i] = a.reaction;
  for (int d = 0; d < 3; ++d) {
    if (!bands.band[1 + d]) continue;
    T* const here = bands.line(1 + d, j, k) + i;
    *here = above[d];
    if (place[d] == 0 && !periodic[d]) here[-stride[d]] = below[d];
  }
}
template <class T, int Dimension>
[[gnu::always_inline]] constexpr void store_bands(const BoxRow<T, Dimension>& a, const bool (&)[3],
                                                  const BandViews<T, band_count<BoxRow<T, Dimension>>>& bands, int i,
                                                  int j, int k) {
  for (int b = 0; b < band_count<BoxRow<T, Dimension>>; ++b) bands.line(b, j, k)[i] = a.at[box_centre<Dimension> + b];
}

}  // namespace poisson
