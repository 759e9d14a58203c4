#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/memory/view.hpp"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cuda {

/// `LineStep` computes u_next = u + alpha B⁻¹(b − A u) + beta (u − u_previous), where B contains the diagonal and the
/// couplings along an axis. The result overwrites the previous iterate, which is not read if beta is 0. From a zero
/// guess u_next = alpha B⁻¹ b. Coefficients are TensorProduct, or LineBands along the axis. All fields have the same
/// layout.
template <class T, class Coefficients>
struct LineStep {
  Coefficients c;
  View<const T> u;  ///< null data means zero
  View<const T> b;
  View<T> out;
  T alpha, beta;
  Range box;           ///< the unknowns
  bool cyclic;         ///< lines are periodic
  bool known = false;  ///< b contains b − A u, as with LineBands and if takes_residual is true

  // The next functions load a thread's values of a line, at place(m) of the fields for m < n. Conditions precede the
  // loops: with a branch inside a loop, each load would wait for the previous one.

  /// Loads b − A u, or b if it contains b − A u already. at(m) returns the indices of place(m).
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
  /// Loads the values to which alpha B⁻¹(b − A u) is added.
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

/// A segment is one thread's share of a line. Short segments are as long as registers allow with all their rows.
/// Streaming segments are for large fields; they need less data per unknown.
inline constexpr int short_segment = 8;
template <class T>
inline constexpr int streaming_segment = 128 / sizeof(T);
/// Lines that are too long for a block with shorter segments use these.
inline constexpr int long_segment = 64;

/// `line_threads` is the largest number of threads of a block with short segments, limited by registers.
template <class T>
inline constexpr int line_threads = sizeof(T) == 4 ? 1024 : 512;

/// Returns the number of unknowns on a line along an axis.
inline int line_length(int axis, const Box& box) {
  return box.last[static_cast<std::size_t>(axis)] - box.first[static_cast<std::size_t>(axis)];
}
template <class T>
bool is_long_line(int axis, const Box& box) {
  return line_length(axis, box) > line_threads<T> * short_segment / (axis == 0 ? 1 : 8);
}

/// Returns whether relax_lines expects b − A u in place of b. On large fields two passes over memory, each at full
/// bandwidth, are faster than one pass in which few threads keep everything in registers. On small fields the second
/// launch would cost more.
template <class T>
bool takes_residual(int axis, const Box& box) {
  return box.size() >= std::int64_t{1} << 20 || is_long_line<T>(axis, box);
}

/// Runs one step for all lines along an axis; compiled separately for each precision and model. Throws RunError if
/// lines are too long for a block's shared memory.
template <class T, class Coefficients>
void relax_lines(cudaStream_t stream, int axis, const LineStep<T, Coefficients>& step);

}  // namespace poisson::cuda
