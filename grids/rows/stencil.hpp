#pragma once

#include <cstdint>

namespace poisson {

/// Compute a·b and a·b + c·d with defined rounding. Otherwise a compiler chooses which of two products it fuses with
/// their sum by how often each is used. Passes of several sweeps, and even the last points of a column, would then
/// differ in their last bits.
template <class T>
[[gnu::always_inline]] constexpr T product(T a, T b) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4)
    return __fmul_rn(a, b);
  else
    return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
template <class T>
[[gnu::always_inline]] constexpr T sum_of_products(T a, T b, T c, T d) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4)
    return __fmaf_rn(a, b, product(c, d));
  else
    return __fma_rn(a, b, product(c, d));
#elif defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
  if constexpr (sizeof(T) == 4)
    return __builtin_fmaf(a, b, c * d);
  else
    return __builtin_fma(a, b, c * d);
#else
  return a * b + c * d;
#endif
}

/// Contains the values around a point that a row of 5 or 7 points multiplies.
template <class T>
struct Star {
  T centre, west, east, south, north, bottom, top;

  /// Loads the values around *p, with strides 1, sy and sz.
  [[gnu::always_inline]] static constexpr Star at(const T* p, std::int64_t sy, std::int64_t sz) {
    return {p[0], p[-1], p[1], p[-sy], p[sy], p[-sz], p[sz]};
  }
};

/// Is a row of a 5- or 7-point operator in registers: the couplings to the six neighbours (≥ 0; minus the off-diagonal
/// entries of A) and the reaction. In two dimensions bottom and top are 0.
template <class T>
struct Row {
  using Neighbours = Star<T>;
  T west, east, south, north, bottom, top, reaction;

  constexpr T diagonal() const { return west + east + south + north + bottom + top + reaction; }
  /// Returns (A u)_i = Σ_n a_n (u_i − u_n) + σ_i u_i.
  [[gnu::always_inline]] constexpr T times(const Star<T>& u) const {
    return sum_of_products(west, u.centre - u.west, east, u.centre - u.east) + south * (u.centre - u.south) +
           north * (u.centre - u.north) + bottom * (u.centre - u.bottom) + top * (u.centre - u.top) +
           reaction * u.centre;
  }
};

/// Returns Σ|a_ij| / a_ii. The largest value of all rows bounds the eigenvalues of D⁻¹A (Gershgorin's circles).
template <class T>
constexpr double gershgorin(const Row<T>& a) {
  const double diagonal = static_cast<double>(a.diagonal());
  double sum = diagonal;
  const T couplings[6] = {a.west, a.east, a.south, a.north, a.bottom, a.top};
  for (const T coupling : couplings) sum += static_cast<double>(coupling < 0 ? -coupling : coupling);
  return sum / diagonal;
}

/// Returns the row after its couplings along an axis (−1: none) are removed but kept in its diagonal.
template <class T>
[[gnu::always_inline]] constexpr Row<T> decoupled(Row<T> a, int axis) {
  if (axis == 0) {
    a.reaction += a.west + a.east;
    a.west = a.east = T(0);
  } else if (axis == 1) {
    a.reaction += a.south + a.north;
    a.south = a.north = T(0);
  } else if (axis == 2) {
    a.reaction += a.bottom + a.top;
    a.bottom = a.top = T(0);
  }
  return a;
}

// These point formulas take differences before they weight them. A constant is therefore mapped to σ times itself
// without rounding, and the residual of a smooth field is exact to the rounding of its second difference. The formulas
// do not use the standard library, because they are compiled for every backend and at run time. They are always
// inlined, because a call in a loop over points would prevent vectorization.
namespace stencil {

// All shapes of stencils use these functions: `a` is a row, `u` the row's Neighbours.

/// Returns (A u)_i.
template <class Row>
[[gnu::always_inline]] constexpr auto apply(const Row& a, const typename Row::Neighbours& u) {
  return a.times(u);
}

/// Returns 1/x if x is neither zero nor denormal. On a GPU the result is within one or two roundings, and the code
/// avoids the branches of a division.
template <class T>
[[gnu::always_inline]] constexpr T reciprocal(T x) {
#ifdef __CUDA_ARCH__
  T y;
  if constexpr (sizeof(T) == 4) {
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  } else {
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    for (int step = 0; step < 2; ++step) y = fma(y, fma(-x, y, T(1)), y);
  }
  return y;
#else
  return T(1) / x;
#endif
}

/// Returns b_i − (A u)_i.
template <class Row, class T>
[[gnu::always_inline]] constexpr T residual(const Row& a, const typename Row::Neighbours& u, T b) {
  return b - apply(a, u);
}

/// Returns one step of a polynomial smoother: u + α D⁻¹(b − A u) + β (u − u_previous). Damped Jacobi has β = 0.
template <class Row, class T>
[[gnu::always_inline]] constexpr T polynomial(const Row& a, const typename Row::Neighbours& u, T b, T previous, T alpha,
                                              T beta) {
  return u.centre + alpha * reciprocal(a.diagonal()) * residual(a, u, b) + beta * (u.centre - previous);
}

/// Returns one step of Gauss–Seidel with over-relaxation: u + ω D⁻¹(b − A u).
template <class Row, class T>
[[gnu::always_inline]] constexpr T gauss_seidel(const Row& a, const typename Row::Neighbours& u, T b, T omega) {
  return u.centre + omega * reciprocal(a.diagonal()) * residual(a, u, b);
}

/// Returns r²/D, the point's share of ‖r‖².
template <class Row, class T>
[[gnu::always_inline]] constexpr T weighted_square(const Row& a, T r) {
  return r * r * reciprocal(a.diagonal());
}

}  // namespace stencil
}  // namespace poisson
