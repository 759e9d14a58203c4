#pragma once

#include <cstdint>

#include "grids/compact/eigenvalue_steps.hpp"

namespace poisson::cuda {

/// Returns 1/|v| for the square of the length of a vector v, or 0.
__device__ inline double inverse_length(double norm) {
  return norm > 0 ? 1 / sqrt(norm) : 0;
}

/// Contains the vectors of Lanczos' method for D^(-1/2) A D^(-1/2) (eigenvalue_steps.hpp). `x` is D^(-1/2) v as a
/// field. Lengths and products stay on the device: norm[s] is v² before step s and alpha[s] its product.
template <class T>
struct LanczosFields {
  const float* inverse;
  T *v, *before, *w, *x;
  double *norm, *alpha;

  __device__ T root(int row) const { return sqrt(static_cast<T>(inverse[row])); }
};
template <class T>
struct BeginLanczos {
  LanczosFields<T> all;
  __device__ double operator()(int row, std::int64_t p) const {
    const T v = static_cast<T>(lanczos_number(row));
    all.v[row] = v;
    all.before[row] = 0;
    all.x[p] = all.root(row) * v;
    return static_cast<double>(v) * static_cast<double>(v);
  }
};
template <class T>
struct MultiplyLanczos {
  LanczosFields<T> all;
  int step;
  __device__ double operator()(int row, std::int64_t, T product) const {
    const double norm = all.norm[step], last = step == 0 ? 0 : sqrt(norm);
    const T inverse = static_cast<T>(inverse_length(norm)),
            w = all.root(row) * product * inverse - static_cast<T>(last) * all.before[row];
    all.w[row] = w;
    return static_cast<double>(w) * static_cast<double>(all.v[row] * inverse);
  }
};
template <class T>
struct ShiftLanczos {
  LanczosFields<T> all;
  int step;
  __device__ double operator()(int row, std::int64_t p) const {
    const T now = all.v[row] * static_cast<T>(inverse_length(all.norm[step])),
            next = all.w[row] - static_cast<T>(all.alpha[step]) * now;
    all.before[row] = now;
    all.v[row] = next;
    all.x[p] = all.root(row) * next;
    return static_cast<double>(next) * static_cast<double>(next);
  }
};

/// Contains the vectors of Lanczos' method for B⁻¹A in the inner product of B: r is B v and z is v, both before
/// division by their length, whose squares are norm[s]; products z · A z are alpha[s].
template <class T>
struct BlockLanczos {
  T *r, *z, *before, *w;  // r and z are fields
  double *norm, *alpha;
};
template <class T>
struct BeginBlocks {
  BlockLanczos<T> all;
  const float* inverse;
  __device__ void operator()(int row, std::int64_t p) const {
    all.before[row] = 0;
    all.r[p] = static_cast<T>(lanczos_number(row)) / sqrt(static_cast<T>(inverse[row]));
  }
};
template <class T>
struct CorrectBlocks {
  BlockLanczos<T> all;
  __device__ double operator()(int, std::int64_t p, T product) const {
    all.z[p] = product;
    return static_cast<double>(product) * static_cast<double>(all.r[p]);
  }
};
template <class T>
struct MultiplyBlocks {
  BlockLanczos<T> all;
  __device__ double operator()(int row, std::int64_t p, T product) const {
    all.w[row] = product;
    return static_cast<double>(product) * static_cast<double>(all.z[p]);
  }
};
template <class T>
struct ShiftBlocks {
  BlockLanczos<T> all;
  int step;
  __device__ void operator()(int row, std::int64_t p) const {
    const double norm = all.norm[step], inverse = inverse_length(norm), alpha = norm > 0 ? all.alpha[step] / norm : 0,
                 last = step == 0 ? 0 : sqrt(norm);
    const T now = all.r[p] * static_cast<T>(inverse), next = all.w[row] * static_cast<T>(inverse) -
                                                             static_cast<T>(alpha) * now -
                                                             static_cast<T>(last) * all.before[row];
    all.before[row] = now;
    all.r[p] = next;
  }
};

}  // namespace poisson::cuda
