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
  Range box;    ///< the unknowns
  bool cyclic;  ///< the lines close on themselves

  __device__ T right(const Row<T>& a, int i, int j, int k) const {
    const T rhs = b(i, j, k);
    return u.data ? stencil::residual(a, star_at<T>(&u(i, j, k), u.sy, u.sz), rhs) : rhs;
  }
  __device__ void store(int i, int j, int k, T e) const {
    T next = alpha * e;
    if (u.data) {
      const T now = u(i, j, k);
      next += now;
      if (beta != T(0)) next += beta * (now - out(i, j, k));
    }
    out(i, j, k) = next;
  }
};

/// One step for all lines along an axis; compiled apart for each precision and model. Throws RunError where lines are
/// longer than a block's shared memory holds.
template <class T, class Coefficients>
void relax_lines(cudaStream_t stream, int axis, const LineStep<T, Coefficients>& step);

}  // namespace poisson::cuda
