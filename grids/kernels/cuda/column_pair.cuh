#pragma once

#include <cstdint>
#include <type_traits>

#include "grids/kernels/cuda/stencil_columns.cuh"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/face_coefficients.hpp"

/// A thread processes two adjacent columns along x, 2t and 2t + 1. One load reads the values of both on a line, and
/// coefficients between the two are read once.
namespace poisson::cuda {

template <class T>
struct Two {
  T of[2];
  __device__ T operator[](int s) const { return of[s]; }
};
/// Loads both values of a pair. Lines begin at multiples of 128 bytes, so pairs are aligned.
template <class T>
__device__ Two<T> load_two(const T* p) {
  using Vector = std::conditional_t<sizeof(T) == 4, float2, double2>;
  const Vector v = __ldg(reinterpret_cast<const Vector*>(p));
  return {v.x, v.y};
}
template <class T>
__device__ void store_two(T* p, T left, T right) {
  using Vector = std::conditional_t<sizeof(T) == 4, float2, double2>;
  *reinterpret_cast<Vector*>(p) = Vector{left, right};
}

/// `ArrayPlaces` computes indices of an array's values in memory as 32-bit numbers, counted from before its halo. One
/// instruction then computes an address.
struct ArrayPlaces {
  unsigned first;  ///< index of value (0, 0, 0)
  unsigned sy, sz;

  template <class T>
  explicit ArrayPlaces(const View<T>& v)
      : first(static_cast<unsigned>(before + v.halo[1] * v.sy + v.halo[2] * v.sz)),
        sy(static_cast<unsigned>(v.sy)),
        sz(static_cast<unsigned>(v.sz)) {}
  __device__ unsigned operator()(int i, int j, int k) const {
    return first + static_cast<unsigned>(i) + static_cast<unsigned>(j) * sy + static_cast<unsigned>(k) * sz;
  }
  /// Returns the address of index 0, plus `further` values.
  template <class T>
  T* base(const View<T>& v, std::int64_t further = 0) const {
    return v.data - first + further;
  }
  static constexpr int before = 2;  // values of the padding before the first line
};

/// `ColumnPair` describes the columns i (even) and i + 1 at one layer, which has the index `at` in the arrays of κ.
/// `read()` loads the layer for both columns; `layer(s, read)` is the layer of one of them. The host creates the
/// `Arrays`.
template <class T, class Coefficients>
struct ColumnPair;

template <class T>
struct ColumnPair<T, Partial<T, true>> {
  using Coefficients = Partial<T, true>;
  using Layer = CellLayer<T>;
  struct Arrays {
    ArrayPlaces places;
    const T *north, *south;

    explicit Arrays(const Coefficients& c)
        : places(c.kappa[0]), north(places.base(c.kappa[0])), south(north - c.kappa[0].sy) {}
  };
  struct Read {
    T south[3], north[3];  // west to east
  };
  typename Coefficients::Column column[2];
  unsigned at;

  __device__ ColumnPair(const Coefficients& c, const Arrays& arrays, int i, int j, int k)
      : column{c.column(i, j), c.column(i + 1, j)}, at(arrays.places(i, j, k)) {}

  __device__ Read read(const Arrays& arrays) const {
    const T *const north = arrays.north + at, *const south = arrays.south + at;
    const Two<T> n = load_two(north), s = load_two(south);
    return {{__ldg(south - 1), s[0], s[1]}, {__ldg(north - 1), n[0], n[1]}};
  }
  /// Prefetches the values that read() will load n layers further up.
  __device__ void fetch(const Arrays& arrays, int n) const { Fetch()(arrays.north + (at + n * arrays.places.sz)); }
  __device__ Layer layer(int s, const Read& r) const {
    return column[s].layer(CellQuad<T>{r.south[s], r.south[s + 1], r.north[s], r.north[s + 1]});
  }
};

template <class T>
struct ColumnPair<T, Faces<T>> {
  using Coefficients = Faces<T>;
  using Layer = typename Coefficients::Layer;
  struct Arrays {
    ArrayPlaces places;
    const T *west, *south, *north, *top;

    explicit Arrays(const Coefficients& c)
        : places(c.kappa[0]),
          west(places.base(c.kappa[0])),
          south(places.base(c.kappa[1])),
          north(south + c.kappa[1].sy),
          top(places.base(c.kappa[2], c.kappa[2].sz)) {}
  };
  struct Read {
    T x[3];
    Two<T> south, north, top;
  };
  typename Coefficients::Column column[2];
  unsigned at;

  __device__ ColumnPair(const Coefficients& c, const Arrays& arrays, int i, int j, int k)
      : column{c.column(i, j), c.column(i + 1, j)}, at(arrays.places(i, j, k)) {}

  __device__ Read read(const Arrays& arrays) const {
    const T* const west = arrays.west + at;
    const Two<T> x = load_two(west);
    return {{x[0], x[1], __ldg(west + 2)},
            load_two(arrays.south + at),
            load_two(arrays.north + at),
            load_two(arrays.top + at)};
  }
  __device__ void fetch(const Arrays& arrays, int n) const {
    const unsigned far = at + n * arrays.places.sz;
    Fetch()(arrays.west + far);
    Fetch()(arrays.south + far);
    Fetch()(arrays.top + far);
  }
  __device__ Layer layer(int s, const Read& r) const { return {r.x[s], r.x[s + 1], r.south[s], r.north[s], r.top[s]}; }
};

}  // namespace poisson::cuda
