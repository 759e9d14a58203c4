#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/view.hpp"
#include "grids/coefficients.hpp"
#include "grids/stencil.hpp"

namespace poisson::cuda {

/// u_next = u + alpha B⁻¹(b − A u) + beta (u − u_previous) with B the diagonal and the couplings along an axis; written
/// over the previous iterate, which is not read where beta is 0. From zero: u_next = alpha B⁻¹ b.
template <class T, class Coefficients>
struct LineStep {
  Coefficients c;
  View<const T> u;  ///< data null: zero
  View<const T> b;
  View<T> out;
  T alpha, beta;
  Range box;           ///< the unknowns
  bool cyclic;         ///< the lines close on themselves
  bool known = false;  ///< b is b − A u already; what takes_residual asks for

  __device__ T right(const Row<T>& a, int i, int j, int k) const {
    const T rhs = b(i, j, k);
    return u.data && !known ? stencil::residual(a, Star<T>::at(&u(i, j, k), u.sy, u.sz), rhs) : rhs;
  }
  /// What alpha B⁻¹(b − A u) is added to.
  __device__ T base(int i, int j, int k) const {
    if (!u.data) return T(0);
    const T now = u(i, j, k);
    return beta == T(0) ? now : now + beta * (now - out(i, j, k));
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
