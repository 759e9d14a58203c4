#pragma once

#include <cstdint>

#include "grids/rows/stencil.hpp"

/// Rows of 9 or 27 points couple a value to all neighbours in the box of ±1 along two or three axes, as bilinear and
/// trilinear elements do. The neighbour at (dx, dy, dz) has the number (dx + 1) + 3 (dy + 1) + 9 (dz + 1), in two
/// dimensions without the last term. The neighbours n and points − 1 − n are therefore opposite.
namespace poisson {

/// Represents a compile-time number.
template <int n>
struct Number {
  static constexpr int value = n;
};
/// Calls f(Number<first>()), …, f(Number<last − 1>()). The loop is unrolled before any other optimization, so arrays
/// that are indexed by its numbers become registers.
template <int first, int last, class F>
[[gnu::always_inline]] constexpr void unrolled(const F& f) {
  if constexpr (last - first == 1) {
    f(Number<first>());
  } else if constexpr (first < last) {
    constexpr int middle = first + (last - first) / 2;
    unrolled<first, middle>(f);
    unrolled<middle, last>(f);
  }
}

template <int Dimension>
inline constexpr int box_points = Dimension == 3 ? 27 : 9;
template <int Dimension>
inline constexpr int box_centre = box_points<Dimension> / 2;
/// Returns the offset of a neighbour along an axis: −1, 0 or 1.
constexpr int box_offset(int neighbour, int axis) {
  return (axis == 0 ? neighbour : axis == 1 ? neighbour / 3 : neighbour / 9) % 3 - 1;
}

/// Contains the values in the box around a point.
template <class T, int Dimension>
struct Patch {
  T centre, value[box_points<Dimension>];

  [[gnu::always_inline]] static constexpr Patch at(const T* p, std::int64_t sy, std::int64_t sz) {
    Patch u{};
    u.centre = *p;
    unrolled<0, box_points<Dimension>>([&](auto n) __attribute__((always_inline)) {
      constexpr int m = decltype(n)::value;
      const std::int64_t dz = Dimension == 3 ? box_offset(m, 2) * sz : 0;
      u.value[m] = p[box_offset(m, 0) + box_offset(m, 1) * sy + dz];
    });
    return u;
  }
};

/// Contains the couplings to the neighbours by number: minus the off-diagonal entries of A, of either sign. The entry
/// at the centre is the sum of the row, to which the reaction and Robin faces contribute.
template <class T, int Dimension>
struct BoxRow {
  using Neighbours = Patch<T, Dimension>;
  static constexpr int dimension = Dimension;
  T at[box_points<Dimension>];

  [[gnu::always_inline]] constexpr T diagonal() const {
    T sum = at[box_centre<Dimension>];
    unrolled<0, box_centre<Dimension>>([&](auto n) __attribute__((always_inline)) {
      constexpr int m = decltype(n)::value;
      sum += at[m] + at[box_points<Dimension> - 1 - m];
    });
    return sum;
  }
  /// Returns (A u)_i = Σ_n a_n (u_i − u_n) + σ_i u_i. The couplings along x are added last.
  [[gnu::always_inline]] constexpr T times(const Patch<T, Dimension>& u) const {
    return times_beside(u) + along_x(u.centre, u.value[box_centre<Dimension> - 1], u.value[box_centre<Dimension> + 1]);
  }
  /// Returns (A u)_i without the couplings along x.
  [[gnu::always_inline]] constexpr T times_beside(const Patch<T, Dimension>& u) const {
    T sum = at[box_centre<Dimension>] * u.centre;
    unrolled<0, box_centre<Dimension> - 1>([&](auto n) __attribute__((always_inline)) {
      constexpr int m = decltype(n)::value, opposite = box_points<Dimension> - 1 - m;
      sum += at[m] * (u.centre - u.value[m]) + at[opposite] * (u.centre - u.value[opposite]);
    });
    return sum;
  }
  [[gnu::always_inline]] constexpr T along_x(T centre, T before, T after) const {
    return at[box_centre<Dimension> - 1] * (centre - before) + at[box_centre<Dimension> + 1] * (centre - after);
  }
};

template <class T, int Dimension>
constexpr double gershgorin(const BoxRow<T, Dimension>& a) {
  const double diagonal = static_cast<double>(a.diagonal());
  double sum = diagonal;
  unrolled<0, box_points<Dimension>>([&](auto n) __attribute__((always_inline)) {
    constexpr int m = decltype(n)::value;
    const double entry = static_cast<double>(a.at[m]);
    if (m != box_centre<Dimension>) sum += entry < 0 ? -entry : entry;
  });
  return sum / diagonal;
}

/// Returns the distance between the numbers of neighbours along an axis.
constexpr int box_stride(int axis) {
  return axis == 0 ? 1 : axis == 1 ? 3 : 9;
}
/// `before` and `after` return the couplings of a row along an axis.
template <class T, int Dimension>
[[gnu::always_inline]] constexpr T before(const BoxRow<T, Dimension>& a, int axis) {
  constexpr int c = box_centre<Dimension>;
  return axis == 0 ? a.at[c - 1] : axis == 1 || Dimension == 2 ? a.at[c - 3] : a.at[Dimension == 2 ? 0 : c - 9];
}
template <class T, int Dimension>
[[gnu::always_inline]] constexpr T after(const BoxRow<T, Dimension>& a, int axis) {
  constexpr int c = box_centre<Dimension>;
  return axis == 0 ? a.at[c + 1] : axis == 1 || Dimension == 2 ? a.at[c + 3] : a.at[Dimension == 2 ? 0 : c + 9];
}

/// Returns the row decoupled from the planes next to it across an axis (−1: none): couplings to neighbours outside its
/// plane only contribute to its diagonal.
template <class T, int Dimension>
[[gnu::always_inline]] constexpr BoxRow<T, Dimension> decoupled(BoxRow<T, Dimension> a, int axis) {
  unrolled<0, box_points<Dimension>>([&](auto n) __attribute__((always_inline)) {
    constexpr int m = decltype(n)::value;
    for (int d = 0; d < Dimension; ++d)
      if (d == axis && box_offset(m, d) != 0) {
        a.at[box_centre<Dimension>] += a.at[m];
        a.at[m] = T(0);
      }
  });
  return a;
}

}  // namespace poisson
