#pragma once

#include <type_traits>

#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

/// A thread walks along z through the columns of a box, over one model of Coefficients. A body computes and stores at
/// each point (stencil_columns.cuh).
namespace poisson::cuda {

/// The rows of these models lie between layers of cells, or share the face between them.
template <class Coefficients>
concept Layered = requires(const Coefficients c) {
  c.column(0, 0);
};

/// `batch` is the number of points of a column that a thread processes together. All inputs of a batch are loaded
/// before its first store, which keeps that many loads in flight. A formula that reads only u, with coefficients that
/// are not in memory, has larger batches.
template <class T, class Coefficients, class Body>
inline constexpr int batch = sizeof(T) == 4 ? 4 : 2;

template <class T>
struct Apply;
template <class T>
struct Polynomial;
template <class T, class R>
struct ScaledResidual;
template <class T>
inline constexpr int batch<T, Equidistant<T>, Apply<T>> = 4;
template <class T>
inline constexpr int batch<T, Equidistant<T>, Polynomial<T>> = 4;

/// `march_threads` is the number of threads of a multiprocessor for which batches leave enough registers.
template <class T, class Coefficients, class Body>
inline constexpr int march_threads = Layered<Coefficients> ? 640 : 768;
template <class T>
inline constexpr int march_threads<T, Equidistant<T>, Polynomial<T>> = sizeof(T) == 4 ? 1024 : 512;
template <>
inline constexpr int march_threads<float, Equidistant<float>, Apply<float>> = 1024;

/// These are the values for walks in a plane, and whether such walks prefetch. A Chebyshev step in fp32 does not: its
/// four streams leave no registers for prefetches.
template <class T>
inline constexpr int flat_threads = sizeof(T) == 4 ? 768 : 640;
template <class Body>
inline constexpr bool flat_fetches = true;
template <>
inline constexpr bool flat_fetches<Polynomial<float>> = false;

/// `fetches_ahead` states whether a column prefetches its inputs into the L2 cache one batch ahead. It does so between
/// layers of cells, and if arithmetic leaves enough registers. Formulas that divide by the diagonal have enough loads
/// in flight without it; in fp64 so do formulas that read more than u.
template <class T, class Coefficients, class Body>
inline constexpr bool fetches_ahead = Layered<Coefficients>;
template <class Body>
inline constexpr bool fetches_ahead<float, Equidistant<float>, Body> = !requires {
  Body::asks_for_diagonal;
};
template <>
inline constexpr bool fetches_ahead<double, Equidistant<double>, Apply<double>> = true;
template <>
inline constexpr bool fetches_ahead<double, Equidistant<double>, ScaledResidual<double, float>> = true;

struct Fetch {
  __device__ void operator()(const void* p) const { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
};
template <class Coefficients>
__device__ void fetch_row(const Coefficients& c, int i, int j, int k) {
  if constexpr (requires { c.reads(i, j, k, Fetch()); }) c.reads(i, j, k, Fetch());
}

/// Returns the rows of line j, k. In two dimensions y is in the place of z (backends/cuda/marched.hpp). Models of 5-
/// and 7-point stencils then have exchanged tables; rows of 9 points are accessed by their original y.
template <class Coefficients>
__device__ auto line_of(const Coefficients& c, int j, int k) {
  if constexpr (requires { decltype(c.line(0, 0).row(0))::dimension; }) {
    if constexpr (decltype(c.line(0, 0).row(0))::dimension == 2)
      return c.line(k, j);
    else
      return c.line(j, k);
  } else {
    return c.line(j, k);
  }
}

/// Returns whether the rows of points k … k + n − 1 of a column are equal. This requires constant coefficients, equal
/// cells, and no point at an end of the axis. A warp then computes its row and its 1/D once a batch.
template <class Coefficients>
__device__ bool same_rows(const Coefficients&, int, int) {
  return false;
}
template <class T>
__device__ bool same_rows(const Equidistant<T>& c, int k, int n) {
  return k > 0 && k + n - 1 < c.z.last;
}

/// `RowsAlong` visits the rows of a column upwards from a point, one batch at a time. `load` reads the parts of the
/// batch's rows that are in memory, before the batch's first store. `visit` calls f(row of point k + m, m).
template <class T, class Coefficients, bool flat>
struct RowsAlong {
  using Row = decltype(Coefficients().line(0, 0).row(0));
  // Preload rows of 5- and 7-point stencils only: larger rows would spill, and constant rows are not read from memory.
  static constexpr bool loaded = std::is_same_v<Row, poisson::Row<T>> && !std::is_same_v<Coefficients, Equidistant<T>>;
  template <int n>
  struct Batch {
    Row row[loaded ? n : 1];
  };
  const Coefficients& c;
  int i, j;

  __device__ RowsAlong(const Coefficients& c, int i, int j, int) : c(c), i(i), j(j) {}

  template <int n>
  __device__ void load(int k, Batch<n>& batch) const {
    if constexpr (loaded) {
#pragma unroll
      for (int m = 0; m < n; ++m) batch.row[m] = line_of(c, j, k + m).row(i);
    }
  }
  template <int n, class F>
  __device__ void visit(int k, const Batch<n>& batch, const F& f) const {
    if (n > 1 && same_rows(c, k, n)) {
      const Row a = line_of(c, j, k).row(i);
#pragma unroll
      for (int m = 0; m < n; ++m) f(a, m);
    } else {
#pragma unroll
      for (int m = 0; m < n; ++m) {
        if constexpr (loaded)
          f(batch.row[m], m);
        else
          f(line_of(c, j, k + m).row(i), m);
      }
    }
  }
};

/// Between layers of cells, each layer is read or computed once.
template <class T, Layered Coefficients, bool flat>
struct RowsAlong<T, Coefficients, flat> {
  template <int n>
  struct Batch {
    decltype(Coefficients().column(0, 0).read(0)) layer[n];
    decltype(Coefficients().column(0, 0).beside(0)) beside[flat ? n : 1];
  };
  using Layer = decltype(Coefficients().column(0, 0).layer(Coefficients().column(0, 0).read(0)));
  typename Coefficients::Column column;
  Layer below;

  __device__ RowsAlong(const Coefficients& c, int i, int j, int k)
      : column(c.column(i, j)), below(column.layer(read(k - 1))) {}

  template <int n>
  __device__ void load(int k, Batch<n>& batch) const {
#pragma unroll
    for (int m = 0; m < n; ++m) {
      batch.layer[m] = read(k + m);
      if constexpr (flat) batch.beside[m] = column.beside(k + m);
    }
  }
  template <int n, class F>
  __device__ void visit(int k, const Batch<n>& batch, const F& f) {
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const Layer above = column.layer(batch.layer[m]);
      if constexpr (flat)
        f(column.template row<true>(below, above, batch.beside[m]), m);
      else
        f(column.row(below, above, column.beside(k + m)), m);
      below = above;
    }
  }

 private:
  __device__ auto read(int k) const {
    if constexpr (flat)
      return column.template read<true>(k);
    else
      return column.read(k);
  }
};

/// `Inputs` are the values that a formula reads at a point in addition to u, or without a u. `body.input(n, i, j, k)`
/// returns the address of input n < Body::inputs. `body.reads(n)` states whether it is read; without `reads` all inputs
/// are read.
template <class T, int count>
struct Inputs {
  T value[count > 0 ? count : 1];
  __device__ T operator[](int n) const { return value[n]; }
};
template <class Body>
__device__ bool reads(const Body& body, int n) {
  if constexpr (requires { body.reads(n); })
    return body.reads(n);
  else
    return true;
}
template <class T, class Body>
__device__ Inputs<T, Body::inputs> inputs_at(const Body& body, int i, int j, int k) {
  Inputs<T, Body::inputs> in{};
#pragma unroll
  for (int n = 0; n < Body::inputs; ++n)
    if (reads(body, n)) in.value[n] = *body.input(n, i, j, k);
  return in;
}
template <class Body>
__device__ void fetch_inputs(const Body& body, int i, int j, int k) {
#pragma unroll
  for (int n = 0; n < Body::inputs; ++n)
    if (reads(body, n)) Fetch()(body.input(n, i, j, k));
}

/// `NoSum` ignores the result of each plane.
struct NoSum {
  __device__ void operator()(int, double) const {}
};

/// `March` is a thread's walk along z through a column. The values along z stay in registers; neighbours in the plane
/// come from the cache. `body(row, star, inputs, i, j, k)` computes and stores; its result for each plane is passed to
/// a sum. If y has only one value, a walk between layers of cells may be `flat`. It then reads half as much, and has
/// registers for more threads and for all table entries of a batch.
template <class T, class Coefficients, class Body, bool flat = false>
struct March {
  static constexpr int resident_threads = flat ? flat_threads<T> : cuda::march_threads<T, Coefficients, Body>;
  static constexpr bool fetches = fetches_ahead<T, Coefficients, Body> && !(flat && !flat_fetches<Body>);
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ void operator()(int i, int j, int k0, int k1) const { each_plane(i, j, k0, k1, NoSum()); }
  template <class Sum>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sum& of_plane) const {
    constexpr int n = batch<T, Coefficients, Body>;
    RowsAlong<T, Coefficients, flat> rows(c, i, j, k0);
    const T* p = &u(i, j, k0);
    Values values{p[-u.sz], p[0]};
    int k = k0;
    for (; k + n <= k1; k += n, p += n * u.sz) points<n>(rows, values, p, i, j, k, k1, of_plane);
    for (; k < k1; ++k, p += u.sz) points<1>(rows, values, p, i, j, k, k1, of_plane);
  }

 private:
  struct Values {
    T below, here;
  };
  template <int n, class Sum>
  __device__ void points(RowsAlong<T, Coefficients, flat>& rows, Values& values, const T* p, int i, int j, int k,
                         int k1, const Sum& of_plane) const {
    T west[n], east[n], south[n], north[n], above[n];
    Inputs<T, Body::inputs> in[n];
    typename RowsAlong<T, Coefficients, flat>::template Batch<n> batch;
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const T* q = p + m * u.sz;
      west[m] = q[-1];
      east[m] = q[1];
      south[m] = flat ? T(0) : q[-u.sy];
      north[m] = flat ? T(0) : q[u.sy];
      above[m] = q[u.sz];
      in[m] = inputs_at<T>(body, i, j, k + m);
    }
    rows.template load<n>(k, batch);
    if (fetches && n > 1 && k + 2 * n <= k1) {
#pragma unroll
      for (int m = n; m < 2 * n; ++m) {
        Fetch()(p + (m + 1) * u.sz);
        fetch_inputs(body, i, j, k + m);
        fetch_row(c, i, j, k + m);
      }
    }
    rows.template visit<n>(k, batch, [&](const auto& a, int m) {
      const Star<T> star{values.here, west[m], east[m], south[m], north[m], values.below, above[m]};
      values = {values.here, above[m]};
      of_plane(k + m, body(a, star, in[m], i, j, k + m));
    });
  }
};

/// `EachRow` is the same walk without neighbours: it calls body(row, inputs, i, j, k).
template <class T, class Coefficients, class Body>
struct EachRow {
  Coefficients c;
  Body body;

  __device__ void operator()(int i, int j, int k0, int k1) const { each_plane(i, j, k0, k1, NoSum()); }
  template <class Sum>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sum& of_plane) const {
    constexpr int n = batch<T, Coefficients, Body>;
    RowsAlong<T, Coefficients, false> rows(c, i, j, k0);
    int k = k0;
    for (; k + n <= k1; k += n) points<n>(rows, i, j, k, of_plane);
    for (; k < k1; ++k) points<1>(rows, i, j, k, of_plane);
  }

 private:
  template <int n, class Sum>
  __device__ void points(RowsAlong<T, Coefficients, false>& rows, int i, int j, int k, const Sum& of_plane) const {
    Inputs<T, Body::inputs> in[n];
    typename RowsAlong<T, Coefficients, false>::template Batch<n> batch;
#pragma unroll
    for (int m = 0; m < n; ++m) in[m] = inputs_at<T>(body, i, j, k + m);
    rows.template load<n>(k, batch);
    rows.template visit<n>(k, batch, [&](const auto& a, int m) { of_plane(k + m, body(a, in[m], i, j, k + m)); });
  }
};

}  // namespace poisson::cuda
