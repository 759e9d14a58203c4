#pragma once

#include <cstdint>

namespace poisson {

/// Row of a 5- or 7-point operator in registers: the couplings to the six neighbours (≥ 0; minus the off-diagonal
/// entries of A) and the reaction. In two dimensions bottom and top are 0.
template <class T>
struct Row {
  T west, east, south, north, bottom, top, reaction;

  constexpr T diagonal() const { return west + east + south + north + bottom + top + reaction; }
};

/// The row with the couplings along an axis (−1: none) on its diagonal alone.
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

/// The values around a point that a row acts on.
template <class T>
struct Star {
  T centre, west, east, south, north, bottom, top;
};

/// The star around *p in memory with strides 1, sy, sz.
template <class T>
[[gnu::always_inline]] constexpr Star<T> star_at(const T* p, std::int64_t sy, std::int64_t sz) {
  return {p[0], p[-1], p[1], p[-sy], p[sy], p[-sz], p[sz]};
}

// The point formulas. Differences are taken before they are weighted, so that a constant is mapped to σ times itself
// without rounding, and the residual of a smooth field is exact to the rounding of its second difference.
// Free of the standard library: they compile for every backend, at run time too. Always inlined: a call in a loop
// over points would keep it from becoming vector code.
namespace stencil {

/// (A u)_i = Σ_n a_n (u_i − u_n) + σ_i u_i
template <class T>
[[gnu::always_inline]] constexpr T apply(const Row<T>& a, const Star<T>& u) {
  return a.west * (u.centre - u.west) + a.east * (u.centre - u.east) + a.south * (u.centre - u.south) +
         a.north * (u.centre - u.north) + a.bottom * (u.centre - u.bottom) + a.top * (u.centre - u.top) +
         a.reaction * u.centre;
}

/// b_i − (A u)_i
template <class T>
[[gnu::always_inline]] constexpr T residual(const Row<T>& a, const Star<T>& u, T b) {
  return b - apply(a, u);
}

/// One step of a polynomial smoother: u + α D⁻¹(b − A u) + β (u − u_previous). Damped Jacobi has β = 0.
template <class T>
[[gnu::always_inline]] constexpr T polynomial(const Row<T>& a, const Star<T>& u, T b, T previous, T alpha, T beta) {
  return u.centre + alpha * (T(1) / a.diagonal()) * residual(a, u, b) + beta * (u.centre - previous);
}

/// Gauss–Seidel with over-relaxation: u + ω D⁻¹(b − A u).
template <class T>
[[gnu::always_inline]] constexpr T gauss_seidel(const Row<T>& a, const Star<T>& u, T b, T omega) {
  return u.centre + omega * (T(1) / a.diagonal()) * residual(a, u, b);
}

/// r²/D, the point's share of ‖r‖².
template <class T>
[[gnu::always_inline]] constexpr T weighted_square(const Row<T>& a, T r) {
  return r * r * (T(1) / a.diagonal());
}

}  // namespace stencil
}  // namespace poisson
