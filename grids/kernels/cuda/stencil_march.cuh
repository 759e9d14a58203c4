#pragma once

#include <type_traits>

#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

/// How a thread goes through the columns of a box: the walk along z over one model of Coefficients, with a body that
/// computes and stores at each point (stencil_columns.cuh).
namespace poisson::cuda {

/// Coefficients whose rows lie between layers of cells, or share the face between them.
template <class Coefficients>
concept Layered = requires(const Coefficients c) {
  c.column(0, 0);
};

/// Points of a column that a thread takes at a time: all that a batch reads is loaded before its first store, which
/// keeps that many loads under way. A formula that reads u alone, with coefficients that are not in memory, takes more.
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

/// Threads of a multiprocessor that batches leave registers for.
template <class T, class Coefficients, class Body>
inline constexpr int march_threads = Layered<Coefficients> ? 640 : 768;
template <class T>
inline constexpr int march_threads<T, Equidistant<T>, Polynomial<T>> = sizeof(T) == 4 ? 1024 : 512;
template <>
inline constexpr int march_threads<float, Equidistant<float>, Apply<float>> = 1024;

/// The same of walks in a plane, and whether they ask ahead: not where four streams of fp32 leave no registers for it.
template <class T>
inline constexpr int flat_threads = sizeof(T) == 4 ? 768 : 640;
template <class Body>
inline constexpr bool flat_fetches = true;
template <>
inline constexpr bool flat_fetches<Polynomial<float>> = false;

/// Whether what a column reads is asked for a batch ahead, to lie in the L2 cache when it is loaded: where arithmetic
/// leaves registers for it, and between layers of cells. In fp64 formulas that read beside u have enough under way, and
/// so have those that divide by the diagonal.
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

/// The rows of the line j, k. In two dimensions y lies along z (backends/cuda/marched.hpp): the tables of stars are
/// handed over accordingly, rows of 9 points are asked for by their own y.
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

/// The rows of a column from a point on upwards, a batch at a time. load reads what is in memory of the batch's rows,
/// which is before its first store; visit calls f(row of point k + m, m).
template <class T, class Coefficients, bool flat>
struct RowsAlong {
  using Row = decltype(Coefficients().line(0, 0).row(0));
  // Stars; rows of more points leave no registers for a whole batch of them, constant ones are not in memory.
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

/// Between layers of cells: each layer is read, or worked out, once.
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

/// What a formula reads at a point beside u, or where there is none: body.input(n, i, j, k) says where, for
/// n < Body::inputs, body.reads(n) whether it is read at all, which is always so where a body does not say.
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

/// Where nothing is summed.
struct NoSum {
  __device__ void operator()(int, double) const {}
};

/// A thread's walk along z through a column. The values along z stay in registers, those beside them come from the
/// cache. body(row, star, inputs, i, j, k) computes and stores; what it returns of each plane goes to a sum.
/// Where y has but one value a walk between layers of cells may be `flat`: it reads half as much, and has registers for
/// more threads and for all that a batch takes from the tables.
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

/// The same without neighbours: body(row, inputs, i, j, k).
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
