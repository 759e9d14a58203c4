#pragma once

#include "grids/kernels/cuda/stencil_columns.cuh"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/box_stencil.hpp"

/// These column functors implement the verbs of an operator with rows of 9 or 27 points, in addition to
/// stencil_columns.cuh.
namespace poisson::cuda {

/// `BoxMarch` is a thread's walk along z through a column. Three planes of 3 × 3 values stay in registers, and the next
/// one is loaded while they are used. In two dimensions it walks along y (line_of); the inputs of a batch of points are
/// loaded before the first store.
template <class T, class Coefficients, class Body>
struct BoxMarch {
  using Shape = decltype(Coefficients().line(0, 0).row(0));
  static constexpr int resident_threads = Shape::dimension == 2 ? 768 : 512;  // 27 values and 27 entries
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ void operator()(int i, int j, int k0, int k1) const { each_plane(i, j, k0, k1, NoSum()); }
  template <class Sum>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sum& of_plane) const {
    using Row = decltype(c.line(0, 0).row(0));
    if constexpr (Row::dimension == 2) {
      constexpr int n = 2;
      T below[6];
      load_lines<2>(&u(i, j, k0 - 1), below);
      int k = k0;
      for (; k + n <= k1; k += n) points<n>(below, i, j, k, of_plane);
      for (; k < k1; ++k) points<1>(below, i, j, k, of_plane);
    } else {
      typename Row::Neighbours patch;
      T next[9];
      load(i, j, k0 - 1, patch.value);
      load(i, j, k0, patch.value + 9);
      load(i, j, k0 + 1, next);
      for (int k = k0; k < k1; ++k) {
        const auto in = inputs_at<T>(body, i, j, k);
#pragma unroll
        for (int m = 0; m < 9; ++m) patch.value[18 + m] = next[m];
        if (k + 1 < k1) load(i, j, k + 2, next);
        if (sizeof(T) == 4 && k + 3 < k1) {  // with 64-bit values a prefetch would spill
          Fetch()(&u(i, j, k + 4));
          fetch_inputs(body, i, j, k + 3);
          fetch_row(c, i, j, k + 3);
        }
        patch.centre = patch.value[box_centre<3>];
        of_plane(k, body(line_of(c, j, k).row(i), patch, in, i, j, k));
#pragma unroll
        for (int m = 0; m < 18; ++m) patch.value[m] = patch.value[9 + m];
      }
    }
  }

 private:
  template <int n>
  __device__ void load_lines(const T* p, T* values) const {
#pragma unroll
    for (int m = 0; m < 3 * n; ++m) values[m] = p[m % 3 - 1 + (m / 3) * u.sz];
  }
  /// Processes n points from k upwards in two dimensions. `below` contains lines k − 1 and k, and on return the two
  /// lines for the next points.
  template <int n, class Sum>
  __device__ void points(T (&below)[6], int i, int j, int k, const Sum& of_plane) const {
    using Row = decltype(c.line(0, 0).row(0));
    T lines[6 + 3 * n];
    Inputs<T, Body::inputs> in[n];
    Row row[n];
#pragma unroll
    for (int m = 0; m < 6; ++m) lines[m] = below[m];
    load_lines<n>(&u(i, j, k + 1), lines + 6);
#pragma unroll
    for (int m = 0; m < n; ++m) {
      in[m] = inputs_at<T>(body, i, j, k + m);
      row[m] = line_of(c, j, k + m).row(i);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      typename Row::Neighbours patch;
#pragma unroll
      for (int v = 0; v < 9; ++v) patch.value[v] = lines[3 * m + v];
      patch.centre = patch.value[box_centre<2>];
      of_plane(k + m, body(row[m], patch, in[m], i, j, k + m));
    }
#pragma unroll
    for (int m = 0; m < 6; ++m) below[m] = lines[3 * n + m];
  }
  __device__ void load(int i, int j, int k, T* plane) const {
    const T* p = &u(i, j, k);
#pragma unroll
    for (int m = 0; m < 9; ++m) plane[m] = p[m % 3 - 1 + (m / 3 - 1) * u.sy];
  }
};

/// `BoxColour` is one colour of a Gauss–Seidel sweep. The values of a colour are every second value along each axis,
/// beginning with `first`; they are not adjacent.
template <class T, class Coefficients>
struct BoxColour {
  static constexpr int resident_threads = 512;
  Coefficients c;
  View<T> u;
  View<const T> b;
  T omega;
  int first[3];

  __device__ void operator()(int s, int t, int r0, int r1) const {
    using Row = decltype(c.line(0, 0).row(0));
    const int i = first[0] + 2 * s, j = first[1] + 2 * t;
    for (int r = r0; r < r1; ++r) {
      const int k = first[2] + 2 * r;
      const T* p = &u(i, j, k);
      const std::int64_t sy = Row::dimension == 2 ? u.sz : u.sy;
      u(i, j, k) = stencil::gauss_seidel(line_of(c, j, k).row(i), Row::Neighbours::at(p, sy, u.sz), b(i, j, k), omega);
    }
  }
};

/// Computes largest = max Σ|a_ij| / a_ii over the rows. Nonnegative numbers order like their bits.
template <class T, class Coefficients>
struct Gershgorin {
  static constexpr int resident_threads = 512;
  Coefficients c;
  unsigned long long* largest;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    double most = 0;
    for (int k = k0; k < k1; ++k) most = fmax(most, gershgorin(c.line(j, k).row(i)));
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(most)));
  }
};

/// Fills bands with the rows of a model.
template <class T, class Coefficients, int count>
struct FillBands {
  static constexpr int resident_threads = 512;
  Coefficients c;
  BandViews<T, count> bands;
  bool periodic[3];
  int decoupled_axis;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) store_bands(decoupled(c.line(j, k).row(i), decoupled_axis), periodic, bands, i, j, k);
  }
};

/// Fills the bands of lines along an axis with those of a model's rows.
template <class T, class Coefficients>
struct FillLines {
  static constexpr int resident_threads = 512;
  Coefficients c;
  BandViews<T, 2> bands;
  int axis;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const std::int64_t stride = axis == 0 ? 1 : axis == 1 ? bands.shape.sy : bands.shape.sz;
    for (int k = k0; k < k1; ++k) {
      const LineRow<T> row = line_row(c.line(j, k).row(i), axis);
      const std::int64_t at = i + j * bands.shape.sy + k * bands.shape.sz;
      bands.band[0][at] = row.rest;
      bands.band[1][at] = row.after;
      if ((axis == 0 ? i : axis == 1 ? j : k) == 0) bands.band[1][at - stride] = row.before;
    }
  }
};

}  // namespace poisson::cuda
