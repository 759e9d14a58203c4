#pragma once

#include <cstdint>

#include "backends/memory/view.hpp"
#include "grids/rows/box_stencil.hpp"

/// Full assembly stores every band of the matrix in a separate array. For the symmetric matrix only the forward half is
/// stored. The structs below implement the concept Coefficients (grids/rows/coefficients.hpp).
namespace poisson {

/// Counts the bands of a row type: the row sum, then the couplings to the neighbours that follow in memory, in order.
/// In two dimensions the last band of a star is null.
template <class Row>
inline constexpr int band_count = 0;
template <class T>
inline constexpr int band_count<Row<T>> = 4;
template <class T, int Dimension>
inline constexpr int band_count<BoxRow<T, Dimension>> = 1 + box_points<Dimension> / 2;

/// Points to the length that each value of an axis represents.
template <class T>
struct AxisMasses {
  const T* x = nullptr;
  const T* y = nullptr;
  const T* z = nullptr;
};

/// Describes bands over all values, with the halo of periodic axes filled. All bands have one layout.
template <class T, int count>
struct BandViews {
  View<T> shape;  ///< same for all
  T* band[count];

  constexpr T* line(int b, int j, int k) const { return band[b] + j * shape.sy + k * shape.sz; }
};

/// Implements Coefficients for 5- and 7-point rows. In two dimensions one of the bands across x is null.
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

/// Implements Coefficients for 9- and 27-point rows.
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
  /// See Partial::reads.
  template <class F>
  constexpr void reads(int i, int j, int k, const F& f) const {
    for (const T* band : bands.band) f(band + i + j * bands.shape.sy + k * bands.shape.sz);
  }
};

/// Stores the rows of lines along an axis when these are not products of one-dimensional factors. Each value stores its
/// coupling to the next value, and the part of its diagonal entry that remains without both couplings. Both fields have
/// one layout. The first value's coupling to its predecessor is in the halo.
template <class T>
struct LineBands {
  BandViews<const T, 2> bands;

  constexpr const T* rest() const { return bands.band[0]; }
  constexpr const T* coupling() const { return bands.band[1]; }
};

/// Contains the couplings of a row along an axis, and the rest of its diagonal entry.
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

/// Maps a row type to its band coefficients.
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

/// Stores the bands of row (i, j, k). A star may couple its first and last values to the halo, which contains the
/// boundary data, or 0 behind Robin faces of nodes. Such a coupling is stored in the halo of the band.
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
