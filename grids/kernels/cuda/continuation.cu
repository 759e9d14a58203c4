#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/launch.cuh"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {
namespace {

// Threads outside the box read values that threads inside do not change.
template <class T>
struct Continue {
  View<T> u;
  int3 first, last;

  __device__ static int nearest(int i, int low, int high) { return min(max(i, low), high - 1); }
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const int ni = nearest(i, first.x, last.x), nj = nearest(j, first.y, last.y);
    for (int k = k0; k < k1; ++k) {
      const int nk = nearest(k, first.z, last.z);
      if (ni != i || nj != j || nk != k) u(i, j, k) = u(ni, nj, nk);
    }
  }
};

}  // namespace

void continue_outwards(Backend& backend, const Box& inside, Field& u) {
  const Range range(inside);
  dispatch(u.precision(), [&]<class T>(T) {
    for_columns(static_cast<CudaBackend&>(backend).stream(), u.layout().box(),
                Continue<T>{u.view<T>(), range.first, range.last});
  });
}

}  // namespace poisson::cuda
