#pragma once

#include "grids/coefficients.hpp"
#include "grids/colours.hpp"
#include "grids/stencil.hpp"

/// What an operator's verbs do to the columns of a box: the point formulas of grids/stencil.hpp over one model of
/// Coefficients, as functors that for_columns, sum_columns and sequences run.
namespace poisson::cuda {

/// A thread's walk along z through a column, so many points at a time: all that a batch reads is loaded before its
/// first store, which keeps that many loads in flight. The values along z stay in registers, those beside them come
/// from the cache. body.load(i, j, k) reads what the formula needs beside u; body(row, star, loaded, i, j, k) computes
/// and stores; the column's result is the sum of what it returns. A formula that reads u alone, with coefficients that
/// are not in memory, takes twice as many points to keep as much under way.
template <class T, class Coefficients, class Body>
inline constexpr int batch = sizeof(T) == 4 ? 4 : 2;

template <class T>
struct Apply;
template <class T>
inline constexpr int batch<T, Equidistant<T>, Apply<T>> = sizeof(T) == 4 ? 8 : 4;

/// Whether the rows of the points k … k + n − 1 of a column are one and the same: constant coefficients, equal cells,
/// and no end of the axis among them. A warp then works its row and its 1/D out once a batch.
template <class Coefficients>
__device__ bool same_rows(const Coefficients&, int, int) {
  return false;
}
template <class T>
__device__ bool same_rows(const Equidistant<T>& c, int k, int n) {
  return k > 0 && k + n - 1 < c.z.last;
}

template <class Coefficients>
inline constexpr bool in_memory = true;
template <class T>
inline constexpr bool in_memory<Equidistant<T>> = false;

/// Rows of so many registers that a batch holds only one of them at a time: of 9 and 27 points.
template <class Row>
inline constexpr bool wide = true;
template <class T>
inline constexpr bool wide<Row<T>> = false;

/// The rows of the points k … k + n − 1 of a column.
template <int n, class Coefficients, class Row>
__device__ void rows_of(const Coefficients& c, int i, int j, int k, Row (&a)[n]) {
#pragma unroll
  for (int m = 0; m < n; ++m) a[m] = c.line(j, k + m).row(i);
}
template <int n, class T, bool Isotropic>
__device__ void rows_of(const Partial<T, Isotropic>& c, int i, int j, int k, Row<T> (&a)[n]) {
  c.template rows<n>(i, j, k, a);
}

/// Σ f(row of point k + m, m) over a batch. f stores: stars that come from memory are read before.
template <int n, class Coefficients, class F>
__device__ double with_rows(const Coefficients& c, int i, int j, int k, const F& f) {
  using Row = decltype(c.line(j, k).row(i));
  double sum = 0;
  if (n > 1 && same_rows(c, k, n)) {
    const Row a = c.line(j, k).row(i);
#pragma unroll
    for (int m = 0; m < n; ++m) sum += f(a, m);
  } else if constexpr (!in_memory<Coefficients> || wide<Row>) {
#pragma unroll
    for (int m = 0; m < n; ++m) sum += f(c.line(j, k + m).row(i), m);
  } else {
    Row a[n];
    rows_of(c, i, j, k, a);
#pragma unroll
    for (int m = 0; m < n; ++m) sum += f(a[m], m);
  }
  return sum;
}

template <class Coefficients>
inline constexpr int march_blocks = 3;
template <class T, bool Isotropic>
inline constexpr int march_blocks<Partial<T, Isotropic>> = 2;

template <class T, class Coefficients, class Body>
struct March {
  static constexpr int resident_blocks = march_blocks<Coefficients>;
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ double operator()(int i, int j, int k0, int k1) const {
    constexpr int n = batch<T, Coefficients, Body>;
    double sum = 0;
    int k = k0;
    for (; k + n <= k1; k += n) sum += points<n>(i, j, k);
    for (; k < k1; ++k) sum += points<1>(i, j, k);
    return sum;
  }

 private:
  template <int n>
  __device__ double points(int i, int j, int k) const {
    const T* p = &u(i, j, k);
    T along[n + 2], west[n], east[n], south[n], north[n];
    decltype(body.load(i, j, k)) loaded[n];
#pragma unroll
    for (int m = 0; m < n + 2; ++m) along[m] = p[(m - 1) * u.sz];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const T* q = p + m * u.sz;
      west[m] = q[-1];
      east[m] = q[1];
      south[m] = q[-u.sy];
      north[m] = q[u.sy];
      loaded[m] = body.load(i, j, k + m);
    }
    return with_rows<n>(c, i, j, k, [&](const auto& a, int m) {
      const Star<T> star{along[m + 1], west[m], east[m], south[m], north[m], along[m], along[m + 2]};
      return body(a, star, loaded[m], i, j, k + m);
    });
  }
};

/// The same without neighbours: body(row, loaded, i, j, k).
template <class T, class Coefficients, class Body>
struct EachRow {
  Coefficients c;
  Body body;

  __device__ double operator()(int i, int j, int k0, int k1) const {
    constexpr int n = batch<T, void, Body>;
    double sum = 0;
    int k = k0;
    for (; k + n <= k1; k += n) sum += points<n>(i, j, k);
    for (; k < k1; ++k) sum += points<1>(i, j, k);
    return sum;
  }

 private:
  template <int n>
  __device__ double points(int i, int j, int k) const {
    decltype(body.load(i, j, k)) loaded[n];
#pragma unroll
    for (int m = 0; m < n; ++m) loaded[m] = body.load(i, j, k + m);
    return with_rows<n>(c, i, j, k, [&](const auto& a, int m) { return body(a, loaded[m], i, j, k + m); });
  }
};

struct Nothing {};

template <class T>
struct Apply {
  View<T> out;
  __device__ Nothing load(int, int, int) const { return {}; }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, Nothing, int i, int j, int k) const {
    out(i, j, k) = stencil::apply(a, u);
    return 0;
  }
};

template <class T, class R>
struct Residual {
  View<const T> b;
  View<R> out;
  __device__ T load(int i, int j, int k) const { return b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, T rhs, int i, int j, int k) const {
    out(i, j, k) = static_cast<R>(stencil::residual(a, u, rhs));
    return 0;
  }
};

template <class T, class R>
struct ScaledResidual {
  View<const T> b;
  View<R> out;
  const double* scale;
  __device__ T load(int i, int j, int k) const { return b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, T rhs, int i, int j, int k) const {
    const T r = stencil::residual(a, u, rhs);
    out(i, j, k) = static_cast<R>(static_cast<T>(*scale) * r);
    return static_cast<double>(stencil::weighted_square(a, r));
  }
};

template <class T>
struct Polynomial {
  struct Loaded {
    T b, previous;
  };
  View<const T> b;
  View<T> out;  // the previous iterate, which is not read where beta is 0
  T alpha, beta;
  __device__ Loaded load(int i, int j, int k) const { return {b(i, j, k), beta == T(0) ? T(0) : out(i, j, k)}; }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, Loaded at, int i, int j, int k) const {
    out(i, j, k) = stencil::polynomial(a, u, at.b, beta == T(0) ? u.centre : at.previous, alpha, beta);
    return 0;
  }
};

template <class T>
struct Diagonal {
  View<T> out;
  __device__ Nothing load(int, int, int) const { return {}; }
  template <class Row>
  __device__ double operator()(const Row& a, Nothing, int i, int j, int k) const {
    out(i, j, k) = a.diagonal();
    return 0;
  }
};

template <class T>
struct PolynomialStart {
  View<const T> b;
  View<T> out;
  T alpha;
  __device__ T load(int i, int j, int k) const { return b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, T rhs, int i, int j, int k) const {
    out(i, j, k) = alpha * (T(1) / a.diagonal()) * rhs;
    return 0;
  }
};

template <class T>
struct Norm {
  View<const T> r;
  __device__ T load(int i, int j, int k) const { return r(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, T value, int, int, int) const {
    return static_cast<double>(stencil::weighted_square(a, value));
  }
};

template <class T>
struct Rounding {
  View<const T> u;
  __device__ T load(int i, int j, int k) const { return u(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, T value, int, int, int) const {
    return static_cast<double>(a.diagonal()) * static_cast<double>(value) * static_cast<double>(value);
  }
};

/// One colour of a Gauss–Seidel sweep with over-relaxation omega, in place. Values of a colour are no neighbours: so
/// many planes are loaded before the first store.
template <class T, class Coefficients>
struct GaussSeidel {
  Coefficients c;
  View<T> u;
  View<const T> b;
  T omega;

  template <int n>
  __device__ void planes(const int (&i)[n], int j, int k) const {
    Star<T> star[n];
    T rhs[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      star[m] = Star<T>::at(&u(i[m], j, k + m), u.sy, u.sz);
      rhs[m] = b(i[m], j, k + m);
    }
#pragma unroll
    for (int m = 0; m < n; ++m)
      u(i[m], j, k + m) = stencil::gauss_seidel(c.line(j, k + m).row(i[m]), star[m], rhs[m], omega);
  }
};

/// With two colours every second value of a line is of one: column t has the values first + 2t or first + 2t + 1.
template <class T, class Coefficients>
struct TwoColours {
  GaussSeidel<T, Coefficients> relax;
  int colour, first, last;  ///< of the unknowns along x

  __device__ void operator()(int t, int j, int k0, int k1) const {
    constexpr int n = 4;
    int k = k0;
    if (first + 2 * t + 1 < last)
      for (; k + n <= k1; k += n) {
        int i[n];
#pragma unroll
        for (int m = 0; m < n; ++m) i[m] = place(t, j, k + m);
        relax.template planes<n>(i, j, k);
      }
    for (; k < k1; ++k) {
      const int i[1] = {place(t, j, k)};
      if (i[0] < last) relax.template planes<1>(i, j, k);
    }
  }

 private:
  __device__ int place(int t, int j, int k) const {
    return first + 2 * t + ((first + j + k + colour) & 1);
  }
};

/// Any number of colours: each column looks for its values.
template <class T, class Coefficients>
struct AnyColours {
  GaussSeidel<T, Coefficients> relax;
  Colours colours;
  int colour;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const int at[1] = {i};
      if (colours.of(i, j, k) == colour) relax.template planes<1>(at, j, k);
    }
  }
};

/// Σ value·mass, value 1 where there is no field.
template <class T, class Coefficients>
struct Integral {
  Coefficients c;
  View<const T> u;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k)
      sum += static_cast<double>(c.line(j, k).mass(i)) * (u.data ? static_cast<double>(u(i, j, k)) : 1.0);
    return sum;
  }
};

template <class T>
struct Sum {
  View<const T> b;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(b(i, j, k));
    return sum;
  }
};

/// x −= (amount/volume)·(mass or 1)
template <class T, class Coefficients, bool weighted>
struct SubtractMean {
  Coefficients c;
  View<T> x;
  const double* amount;
  double volume;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const double share = *amount / volume;
    for (int k = k0; k < k1; ++k)
      x(i, j, k) -= static_cast<T>(weighted ? share * static_cast<double>(c.line(j, k).mass(i)) : share);
  }
};

}  // namespace poisson::cuda
