#pragma once

#include <vector>

#include "backends/cuda/patch_columns.cuh"
#include "grids/blocks/cuda/cell_kernels.cuh"
#include "grids/blocks/stacked_assembly.hpp"
#include "grids/blocks/stacked_operator.hpp"
#include "grids/compact/cuda/device_rows.cuh"

namespace poisson::cuda {

/// Is a column of terms f(x, y) of a sum.
template <class X, class Y, class F>
struct TermColumn {
  View<const X> x;
  View<const Y> y;
  F f;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += f(x(i, j, k), y(i, j, k));
    return sum;
  }
};
template <class X, class Y, class F>
struct TermsOf {
  PatchView<const X> x;
  PatchView<const Y> y;
  F f;
  constexpr TermColumn<X, Y, F> operator()(int p) const { return {x[p], y[p], f}; }
};

/// Runs a step with as many registers as let F::resident_blocks blocks of threads share a multiprocessor.
template <class F>
__global__ void __launch_bounds__(row_threads, F::resident_blocks) each_of_many(std::int64_t n, F f) {
  await_others();
  const std::int64_t i = std::int64_t{blockIdx.x} * row_threads + threadIdx.x;
  if (i < n) f(i);
}

/// Runs steps of blocks on a CUDA device (stacked_operator.hpp).
class BlockSteps {
 public:
  explicit BlockSteps(CudaBackend& backend) : backend_(backend) {}

  Backend& backend() { return backend_; }
  template <class X>
  Buffer make(std::int64_t count) {
    return backend_.allocate(static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * sizeof(X));
  }
  template <class X>
  Buffer copy(const std::vector<X>& values) {
    Buffer there = make<X>(std::ssize(values));
    if (!values.empty()) backend_.write(values.data(), there.data(), values.size() * sizeof(X));
    return there;
  }
  template <class F>
  void each(std::int64_t n, const F& f) const {
    if (n == 0) return;
    const auto blocks = DeviceRows::blocks(n, row_threads);
    if constexpr (requires { F::resident_blocks; })
      launch(each_of_many<F>, blocks, row_threads, backend_.stream(), n, f);
    else
      launch(each_row<F>, blocks, row_threads, backend_.stream(), n, f);
  }
  bool fits(std::size_t bytes) const { return bytes <= most_shared_by_plane; }
  template <class T, bool last, class End>
  void planes(std::int64_t n, const SolvePlane<T, last, End>& f) const {
    solve_planes<T>(backend_.stream(), n, f);
  }
  template <class March>
  void march(const March& march) const {
    march_cells(backend_.stream(), march);
  }
  template <class F>
  void sum(const Field& x, const Field& y, const F& f, const Scalar& result) const {
    const SumTable& table = patch_tables(backend_).of(x.space()).unknowns;
    dispatch(x.precision(), [&]<class X>(X) {
      dispatch(y.precision(), [&]<class Y>(Y) {
        const auto of_group = [&](std::size_t g) {
          return TermsOf<X, Y, F>{marched(x.patches<X>(g)), marched(y.patches<Y>(g)), f};
        };
        sum_groups(backend_, x.space(), table, of_group, result);
      });
    });
  }

 private:
  CudaBackend& backend_;
};

}  // namespace poisson::cuda
