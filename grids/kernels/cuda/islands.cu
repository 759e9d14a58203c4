#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson::cuda {
namespace {

constexpr unsigned threads = 256;

// A warp works out the shift of an island: its lanes add up in an order that never changes.
template <class B, class T>
__global__ void shifts(IslandViews v, const B* rhs, const T* value) {
  const std::int64_t s = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (s >= v.count) return;
  double sum = 0;
  for (std::int64_t m = v.first[s] + lane; m < v.first[s + 1]; m += 32) sum += static_cast<double>(rhs[v.values[m]]);
  for (std::int64_t e = v.row_first[s] + lane; e < v.row_first[s + 1]; e += 32)
    sum -= v.weights[e] * static_cast<double>(value[v.row_values[e]]);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) v.shift[s] = v.inverse[s] * sum;
}

// Islands are disjoint: each value is one lane's.
template <class T>
__global__ void shift(IslandViews v, T* value) {
  const std::int64_t s = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (s >= v.count) return;
  for (std::int64_t m = v.first[s] + threadIdx.x % 32; m < v.first[s + 1]; m += 32)
    value[v.values[m]] += static_cast<T>(v.shift[s]);
}

}  // namespace

void correct_islands(Backend& backend, const IslandViews& v, const Field& b, Field& u) {
  auto& device = static_cast<CudaBackend&>(backend);
  const auto blocks = static_cast<unsigned>((v.count * 32 + threads - 1) / threads);
  with_views(b, u, [&]<class B, class T>(View<const B> rhs, View<T> value) {
    shifts<<<blocks, threads, 0, device.stream()>>>(v, rhs.data, value.data);
    launched(device.stream());
    shift<<<blocks, threads, 0, device.stream()>>>(v, value.data);
    launched(device.stream());
  });
}

}  // namespace poisson::cuda
