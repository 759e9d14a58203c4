#include "grids/cuda/residual.cuh"

#include "backends/cuda/check.cuh"
#include "grids/coefficients.hpp"

namespace poisson::cuda {
namespace {

template <class T, class Coefficients>
__global__ void residual_kernel(Coefficients a, View<const T> u, View<const T> b, View<T> r, int3 first, int3 last) {
  const int i = first.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = first.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int k = first.z + static_cast<int>(blockIdx.z);
  if (i >= last.x || j >= last.y || k >= last.z) return;
  r(i, j, k) = stencil::residual(a.line(j, k).row(i), star_at(&u(i, j, k), u.sy, u.sz), b(i, j, k));
}

}  // namespace

template <class T, class Coefficients>
void residual(const Coefficients& a, View<const T> u, View<const T> b, View<T> r, const Box& unknowns,
              cudaStream_t stream) {
  if (unknowns.size() == 0) return;
  const auto blocks = [&](std::size_t d, unsigned threads) {
    return (static_cast<unsigned>(unknowns.last[d] - unknowns.first[d]) + threads - 1) / threads;
  };
  const dim3 threads(32, 8, 1);
  const dim3 grid(blocks(0, threads.x), blocks(1, threads.y), blocks(2, 1));
  const auto corner = [](const std::array<int, 3>& c) { return make_int3(c[0], c[1], c[2]); };
  residual_kernel<<<grid, threads, 0, stream>>>(a, u, b, r, corner(unknowns.first), corner(unknowns.last));
  check(cudaGetLastError());
}

template void residual(const Equidistant<float>&, View<const float>, View<const float>, View<float>, const Box&,
                       cudaStream_t);
template void residual(const Equidistant<double>&, View<const double>, View<const double>, View<double>, const Box&,
                       cudaStream_t);

}  // namespace poisson::cuda
