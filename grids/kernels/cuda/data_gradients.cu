#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/turned.cuh"
#include "grids/kernels/data_gradient_columns.hpp"

namespace poisson::cuda {
namespace {

template <DataGradient kind, class T>
struct GradientColumn {
  GradientData<T> data;
  T* to;
  int nx, ny;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k)
      to[(static_cast<std::int64_t>(k) * ny + j) * nx + i] = static_cast<T>(gradient_of(kind, data, i, j, k));
  }
};

}  // namespace

template <class T>
void compute_gradient(Backend& backend, DataGradient kind, const GradientData<T>& data, const Array& to) {
  auto& device = dynamic_cast<CudaBackend&>(backend);
  for_kind(kind, [&]<DataGradient of>(KindOf<of>) {
    const GradientColumn<of, T> column{data, static_cast<T*>(to.data), to.shape[0], to.shape[1]};
    for_values(device.stream(), Box{{0, 0, 0}, to.shape}, column);
  });
}

template void compute_gradient(Backend&, DataGradient, const GradientData<float>&, const Array&);
template void compute_gradient(Backend&, DataGradient, const GradientData<double>&, const Array&);

}  // namespace poisson::cuda
