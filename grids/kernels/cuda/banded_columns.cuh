#pragma once

#include <cstdint>

#include "backends/cuda/sequence.cuh"
#include "backends/cuda/tiling.cuh"
#include "backends/memory/view.hpp"
#include "grids/operators/band_colours.hpp"

/// These column functors implement the verbs of a banded operator. All fields that a row reads have the same layout and
/// precision, so one index serves all of them.
namespace poisson::cuda {

/// `FixedBands` is a fixed number of symmetric bands of reach 1: the entries of the forward offsets, and their shifts
/// in memory. Nothing outside the halo is read.
template <class T, int bands>
struct FixedBands {
  const T* band[bands];
  std::int64_t shift[bands];

  /// Calls f(coupling, shift in memory) for all neighbours.
  template <class F>
  __device__ void for_each(std::int64_t at, int, int, int, const F& f) const {
#pragma unroll
    for (int b = 0; b < bands; ++b) {
      f(band[b][at - shift[b]], -shift[b]);
      f(band[b][at], shift[b]);
    }
  }
};

/// `BandLink` couples each value to the value `shift` further; the coefficient is band[index + at].
template <class T>
struct BandLink {
  const T* band;
  std::int64_t at, shift;
  int dx, dy, dz;
};

/// `ListedBands` is any set of bands, listed in memory and shared by all threads. If offsets reach beyond the halo
/// (`guarded`), neighbours outside `within` are omitted.
template <class T>
struct ListedBands {
  const BandLink<T>* links;
  int count;
  Range within;
  bool guarded;

  template <class F>
  __device__ void for_each(std::int64_t at, int i, int j, int k, const F& f) const {
    for (int l = 0; l < count; ++l) {
      const BandLink<T> link = links[l];
      if (guarded) {
        const int x = i + link.dx, y = j + link.dy, z = k + link.dz;
        if (x < within.first.x || x >= within.last.x || y < within.first.y || y >= within.last.y ||
            z < within.first.z || z >= within.last.z)
          continue;
      }
      f(link.band[at + link.at], link.shift);
    }
  }
};

/// `BandedRows` contains the couplings, and the fields of row sums and diagonals.
template <class T, class List>
struct BandedRows {
  List list;
  View<const T> sum, diagonal;

  /// Returns (A u)_i; differences are computed before they are weighted.
  __device__ T product(const T* u, int i, int j, int k) const {
    const std::int64_t at = i + j * sum.sy + k * sum.sz;
    const T centre = u[at];
    T Au = sum.data[at] * centre;
    list.for_each(at, i, j, k, [&](T a, std::int64_t shift) { Au += a * (centre - u[at + shift]); });
    return Au;
  }
};

/// Calls body(A u, i, j, k) for every point, and sums its results over a column.
template <class T, class List, class Body>
struct BandedProduct {
  BandedRows<T, List> rows;
  View<const T> u;
  Body body;

  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += body(rows.product(u.data, i, j, k), i, j, k);
    return sum;
  }
};

template <class T>
struct BandedApply {
  View<T> out;
  __device__ double operator()(T Au, int i, int j, int k) const {
    out(i, j, k) = Au;
    return 0;
  }
};

template <class T, class R>
struct BandedResidual {
  View<const T> b;
  View<R> out;
  __device__ double operator()(T Au, int i, int j, int k) const {
    out(i, j, k) = static_cast<R>(b(i, j, k) - Au);
    return 0;
  }
};

template <class T, class R>
struct BandedScaledResidual {
  View<const T> b, diagonal;
  View<R> out;
  const double* scale;
  __device__ double operator()(T Au, int i, int j, int k) const {
    const T r = b(i, j, k) - Au;
    out(i, j, k) = static_cast<R>(static_cast<T>(*scale) * r);
    return static_cast<double>(r * r * (T(1) / diagonal(i, j, k)));
  }
};

template <class T>
struct BandedPolynomial {
  View<const T> u, b, diagonal;
  View<T> out;  // the previous iterate, which is not read if beta is 0
  T alpha, beta;
  __device__ double operator()(T Au, int i, int j, int k) const {
    const T now = u(i, j, k), previous = beta == T(0) ? now : out(i, j, k);
    out(i, j, k) = now + alpha * (T(1) / diagonal(i, j, k)) * (b(i, j, k) - Au) + beta * (now - previous);
    return 0;
  }
};

/// `BandedRelax` is one colour of a Gauss–Seidel sweep with over-relaxation omega, in place. Columns number the
/// colour's values.
template <class T, class List>
struct BandedRelax {
  BandedRows<T, List> rows;
  View<T> u;
  View<const T> b;
  T omega;
  ColourBox colour;

  __device__ void operator()(int ti, int tj, int tk0, int tk1) const {
    const int j = colour.line(1, tj);
    for (int tk = tk0; tk < tk1; ++tk) {
      const int k = colour.line(2, tk), i = colour.start(j, k) + colour.step[0] * ti;
      if (i >= colour.last[0]) continue;
      const T r = b(i, j, k) - rows.product(u.data, i, j, k);
      u(i, j, k) += omega * (T(1) / rows.diagonal(i, j, k)) * r;
    }
  }
};

/// Computes D = row sums + couplings.
template <class T, class List>
struct BandedDiagonal {
  List list;
  View<const T> sum;
  View<T> out;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const std::int64_t at = i + j * sum.sy + k * sum.sz;
      T d = sum.data[at];
      list.for_each(at, i, j, k, [&](T a, std::int64_t) { d += a; });
      out(i, j, k) = d;
    }
  }
};

/// Computes largest = max Σ|a|/D over the rows. Nonnegative numbers order like their bits.
template <class T, class List>
struct BandedGershgorin {
  List list;
  View<const T> diagonal;
  unsigned long long* largest;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    double most = 0;
    for (int k = k0; k < k1; ++k) {
      const std::int64_t at = i + j * diagonal.sy + k * diagonal.sz;
      const double d = static_cast<double>(diagonal.data[at]);
      double row = fabs(d);
      list.for_each(at, i, j, k, [&](T a, std::int64_t) { row += fabs(static_cast<double>(a)); });
      most = fmax(most, row / d);
    }
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(most)));
  }
};

/// The next functors need only the diagonal.
template <class T>
struct CopyDiagonal {
  View<const T> diagonal;
  View<T> out;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) out(i, j, k) = diagonal(i, j, k);
  }
};
template <class T>
struct BandedStart {
  View<const T> diagonal, b;
  View<T> out;
  T alpha;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) out(i, j, k) = alpha * (T(1) / diagonal(i, j, k)) * b(i, j, k);
  }
};
template <class T>
struct BandedNorm {
  View<const T> diagonal, r;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(r(i, j, k) * r(i, j, k) * (T(1) / diagonal(i, j, k)));
    return sum;
  }
};
template <class T>
struct BandedRounding {
  View<const T> diagonal, u;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) {
      const double value = static_cast<double>(u(i, j, k));
      sum += static_cast<double>(diagonal(i, j, k)) * value * value;
    }
    return sum;
  }
};

template <class T>
struct SumOf {
  View<const T> x;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(x(i, j, k));
    return sum;
  }
};
/// Computes x −= amount/count.
template <class T>
struct SubtractShare {
  View<T> x;
  const double* amount;
  double count;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const T share = static_cast<T>(*amount / count);
    for (int k = k0; k < k1; ++k) x(i, j, k) -= share;
  }
};

struct NoSharedSteps {  // each verb has a separate launch
  template <class T>
  using Columns = ColumnList<>;
  template <class T>
  static constexpr void* launcher = nullptr;
};

}  // namespace poisson::cuda
