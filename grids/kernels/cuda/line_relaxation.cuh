#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/view.hpp"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cuda {

/// u_next = u + alpha B⁻¹(b − A u) + beta (u − u_previous) with B the diagonal and the couplings along an axis; written
/// over the previous iterate, which is not read where beta is 0. From zero: u_next = alpha B⁻¹ b. Coefficients:
/// TensorProduct, or LineBands along the axis. All fields are of one layout.
template <class T, class Coefficients>
struct LineStep {
  Coefficients c;
  View<const T> u;  ///< data null: zero
  View<const T> b;
  View<T> out;
  T alpha, beta;
  Range box;           ///< the unknowns
  bool cyclic;         ///< the lines close on themselves
  bool known = false;  ///< b is b − A u already: with LineBands, and where takes_residual says so

  // What a thread reads of a line, at place(m) of the fields for m < n. Choices stand before the loops: with a branch
  // in them the loads would wait for each other.

  /// b − A u, or what b is already. at(m): the indices of the same place.
  template <int n, class Place, class Indices>
  __device__ void load_right(T (&d)[n], const Place& place, const Indices& at) const {
    if constexpr (requires { c.line(0, 0); }) {
      if (u.data && !known) {
#pragma unroll
        for (int m = 0; m < n; ++m) {
          const int3 i = at(m);
          const std::int64_t here = place(m);
          d[m] = stencil::residual(c.line(i.y, i.z).row(i.x), Star<T>::at(u.data + here, u.sy, u.sz), b.data[here]);
        }
        return;
      }
    }
    for_each<n>([&](int m) { d[m] = b.data[place(m)]; });
  }
  /// What alpha B⁻¹(b − A u) is added to.
  template <int n, class Place>
  __device__ void load_base(T (&base)[n], const Place& place) const {
    if (!u.data)
      for_each<n>([&](int m) { base[m] = T(0); });
    else if (beta == T(0))
      for_each<n>([&](int m) { base[m] = u.data[place(m)]; });
    else
      for_each<n>([&](int m) {
        const T now = u.data[place(m)];
        base[m] = now + beta * (now - out.data[place(m)]);
      });
  }

  template <int n, class F>
  __device__ static void for_each(const F& f) {
#pragma unroll(n > 32 ? 1 : n)
    for (int m = 0; m < n; ++m) f(m);
  }
};

/// A segment of a line, one thread's: as many unknowns as stay in registers with their rows, and on the way through a
/// large field with less of them.
inline constexpr int short_segment = 8;
template <class T>
inline constexpr int streaming_segment = 128 / sizeof(T);
/// Of a line that is too long for a block of threads with these.
inline constexpr int long_segment = 64;

/// Threads of a block at the most with short segments: what its registers hold.
template <class T>
inline constexpr int line_threads = sizeof(T) == 4 ? 1024 : 512;

/// Unknowns on a line along an axis.
inline int line_length(int axis, const Box& box) {
  return box.last[static_cast<std::size_t>(axis)] - box.first[static_cast<std::size_t>(axis)];
}
template <class T>
bool is_long_line(int axis, const Box& box) {
  return line_length(axis, box) > line_threads<T> * short_segment / (axis == 0 ? 1 : 8);
}

/// Whether relax_lines takes b − A u for b: on large fields two passes over memory, each at its bandwidth, take less
/// time than one in which few threads have everything in registers; below, a launch costs more.
template <class T>
bool takes_residual(int axis, const Box& box) {
  return box.size() >= std::int64_t{1} << 20 || is_long_line<T>(axis, box);
}

/// One step for all lines along an axis; compiled apart for each precision and model. Throws RunError where lines are
/// longer than a block's shared memory holds.
template <class T, class Coefficients>
void relax_lines(cudaStream_t stream, int axis, const LineStep<T, Coefficients>& step);

}  // namespace poisson::cuda
