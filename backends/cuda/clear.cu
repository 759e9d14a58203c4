#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/functions.hpp"

namespace poisson::cuda {
namespace {

template <class T>
struct Cleared {
  View<T> x;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) x(i, j, k) = 0;
  }
};

}  // namespace

void clear_unknowns(Field& x) {
  auto& device = dynamic_cast<CudaBackend&>(x.backend());
  dispatch(x.precision(),
           [&]<class T>(T) { for_columns(device.stream(), x.space().unknowns(), Cleared<T>{x.view<T>()}); });
}

}  // namespace poisson::cuda
