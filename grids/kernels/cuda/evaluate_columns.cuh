#pragma once

#include <cstdint>

#include "backends/cuda/slices.cuh"
#include "backends/memory/view.hpp"

/// These column functors use the values of a datum of the problem on the device. Value is a constant or an expression,
/// called as value(x, y, z). This file is also compiled at run time.
namespace poisson::cuda {

/// `Points` contains the points of a box and records bad values.
struct Points {
  const double *x, *y, *z;  ///< coordinates by index on the block's axes
  int first[3], n[3];       ///< the box, whose points are numbered x fastest
  bool positive, nonnegative;
  bool flat;                ///< planes are marched: the third index of measured columns is y
  unsigned long long* bad;  ///< least number of a point whose value is not finite or has the wrong sign

  template <class Value>
  __device__ double operator()(const Value& value, int i, int j, int k) const {
    return checked(value(x[i], y[j], z[k]), i, j, k);
  }
  /// Records a value if it is bad.
  __device__ double checked(double v, int i, int j, int k) const {
    const bool finite = v - v == 0;
    if (!finite || (positive && !(v > 0)) || (nonnegative && v < 0)) {
      const auto line = static_cast<unsigned long long>(k - first[2]) * static_cast<unsigned>(n[1]) +
                        static_cast<unsigned>(j - first[1]);
      atomicMin(bad, line * static_cast<unsigned>(n[0]) + static_cast<unsigned>(i - first[0]));
    }
    return v;
  }
};

/// `AnyView` is a view of a field of either precision.
struct AnyView {
  View<float> narrow;
  View<double> wide;  ///< used if narrow is null
};

/// Computes field = weight · value, or adds if `add`. The weight is the product of the axes' weights and `factor`. If
/// Dirichlet faces meet (`shared`), a value is the mean over these faces; each face adds its share to an initial zero.
struct FillTarget {
  AnyView out;
  const double *wx, *wy, *wz;  ///< by index on the block's axes; null means 1
  double factor;
  bool dry;  ///< stores nothing
  bool add, shared;
  bool dirichlet[6];       ///< faces that share
  int lower[3], upper[3];  ///< indices of the faces along each axis

  __device__ void operator()(double value, int i, int j, int k) const {
    if (dry) return;
    if (out.narrow.data)
      store(out.narrow(i, j, k), value, i, j, k);
    else
      store(out.wide(i, j, k), value, i, j, k);
  }

 private:
  template <class X>
  __device__ void store(X& to, double value, int i, int j, int k) const {
    if (shared) {
      const int faces = (dirichlet[0] && i == lower[0]) + (dirichlet[1] && i == upper[0]) +
                        (dirichlet[2] && j == lower[1]) + (dirichlet[3] && j == upper[1]) +
                        (dirichlet[4] && k == lower[2]) + (dirichlet[5] && k == upper[2]);
      to = static_cast<X>(faces == 1 ? value : static_cast<double>(to) + value / faces);
      return;
    }
    const double part = (wx ? factor * (wy[j] * wz[k]) * wx[i] : factor) * value;
    to = add ? to + static_cast<X>(part) : static_cast<X>(part);
  }
};

template <class Value>
struct Fill {
  Value value;
  Points points;
  FillTarget target;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) target(points(value, i, j, k), i, j, k);
  }
};

/// `Moments` contains Σ m d, Σ m d², min d and max d of the differences d = u − value, where m is the volume of a
/// point.
struct Moments {
  double first, second, low, high;

  __host__ __device__ void join(const Moments& other) {
    first += other.first;
    second += other.second;
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
  }
};

template <class Value>
struct Measure {
  Value value;
  Points points;
  AnyView u;
  const double *wx, *wy, *wz;

  __device__ void operator()(int i, int j, int k0, int k1, Moments& moments) const {
    for (int at = k0; at < k1; ++at) {
      const int y = points.flat ? at : j, z = points.flat ? j : at;
      const double of_u = u.narrow.data ? u.narrow(i, y, z) : u.wide(i, y, z);
      const double d = of_u - points(value, i, y, z), m = wx[i] * wy[y] * wz[z];
      moments.join({m * d, m * d * d, d, d});
    }
  }
};

template <class Value>
__device__ void measure_slice(const Range& box, const Slices& slices, const Measure<Value>& column, Moments* partial) {
  Moments own{0, 0, __longlong_as_double(0x7ff0000000000000), __longlong_as_double(0xfff0000000000000)};
  const auto see = [&](int i, int j, int k0, int k1) { column(i, j, k0, k1, own); };
  reduce_slice(box, slices, own, see, partial);
}

}  // namespace poisson::cuda
