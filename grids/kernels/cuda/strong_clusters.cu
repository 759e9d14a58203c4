#include "backends/cuda/cuda_backend.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/strong_clusters.hpp"

namespace poisson::cuda {
namespace {

constexpr unsigned threads = 256;
// Most strong clusters have a few values and about thirty entries, and `lanes` lanes process each of them. A warp
// processes larger clusters one after another.
constexpr unsigned lanes = 8;
constexpr std::uint32_t most_entries_of_lanes = 64;

template <class B, class T>
__device__ double residual_sum(const StrongClusterViews& v, std::int64_t s, std::uint32_t lane, std::uint32_t step,
                               const B* rhs, const T* value) {
  double sum = 0;
#pragma unroll 4
  for (std::uint32_t m = v.first[s] + lane; m < v.first[s + 1]; m += step) sum += static_cast<double>(rhs[v.values[m]]);
#pragma unroll 4
  for (std::uint32_t e = v.row_first[s] + lane; e < v.row_first[s + 1]; e += step)
    sum -= static_cast<double>(v.weights[e]) * static_cast<double>(value[v.row_places[e]]);
  return sum;
}

// Lanes add in a fixed order. All threads of a warp must call this function.
template <class B, class T>
__device__ void find_shift(const StrongClusterViews& v, std::int64_t s, const B* rhs, const T* value) {
  const std::uint32_t lane = threadIdx.x % lanes;
  const bool here = s < v.count, small = here && v.row_first[s + 1] - v.row_first[s] <= most_entries_of_lanes;
  double sum = small ? residual_sum(v, s, lane, lanes, rhs, value) : 0;
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, lanes);
  if (small && lane == 0) v.shift[s] = v.inverse[s] * sum;
  for (unsigned large = __ballot_sync(0xffffffffu, here && !small && lane == 0); large != 0; large &= large - 1) {
    const std::int64_t of_warp = __shfl_sync(0xffffffffu, s, __ffs(static_cast<int>(large)) - 1);
    sum = residual_sum(v, of_warp, threadIdx.x % 32, 32, rhs, value);
    for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) v.shift[of_warp] = v.inverse[of_warp] * sum;
  }
}

template <class T>
__device__ void shift_values_of(const StrongClusterViews& v, std::int64_t s, T* value) {
  for (std::uint32_t m = v.first[s] + threadIdx.x % lanes; m < v.first[s + 1]; m += lanes)
    value[v.values[m]] += static_cast<T>(v.shift[s]);
}

template <class B, class T>
__global__ void shifts(StrongClusterViews v, const B* rhs, const T* value) {
  find_shift(v, (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes, rhs, value);
}

// One block of this size corrects few strong clusters in one launch, so that no other block has to wait for the shifts.
constexpr unsigned threads_of_few = 1024;
template <class B, class T>
__global__ void __launch_bounds__(threads_of_few) correct_few(StrongClusterViews v, const B* rhs, T* value) {
  const std::int64_t s = threadIdx.x / lanes;
  find_shift(v, s, rhs, value);
  __syncthreads();
  if (s < v.count) shift_values_of(v, s, value);
}

// Strong clusters are disjoint, so each value is written by one lane.
template <class T>
__global__ void shift(StrongClusterViews v, T* value) {
  const std::int64_t s = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  if (s < v.count) shift_values_of(v, s, value);
}

__global__ void add_up(const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift) {
  const std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s >= shifts) return;
  double sum = 0;
  for (int p = 0; p < count; ++p) sum += parts[s + p * step];
  shift[s] = sum;
}

template <class Loop>
struct Each {
  Loop loop;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) loop(i, j, k);
  }
};

unsigned blocks_for(std::int64_t all) {
  return static_cast<unsigned>(divide_up(all, threads));
}
cudaStream_t stream_of(Backend& backend) {
  return static_cast<CudaBackend&>(backend).stream();
}

}  // namespace

void find_shifts(Backend& backend, const StrongClusterViews& v, const Field& b, const Field& u) {
  if (v.count == 0) return;
  const cudaStream_t stream = stream_of(backend);
  dispatch(b.precision(), [&]<class B>(B) {
    dispatch(u.precision(), [&]<class T>(T) {
      shifts<<<blocks_for(lanes * v.count), threads, 0, stream>>>(v, static_cast<const B*>(b.data()),
                                                                  static_cast<const T*>(u.data()));
    });
  });
  launched(stream);
}

void shift_values(Backend& backend, const StrongClusterViews& v, Field& u) {
  if (v.count == 0) return;
  const cudaStream_t stream = stream_of(backend);
  dispatch(u.precision(), [&]<class T>(T) {
    shift<<<blocks_for(lanes * v.count), threads, 0, stream>>>(v, static_cast<T*>(u.data()));
  });
  launched(stream);
}

void add_shifts(Backend& backend, const double* parts, std::int64_t step, int count, std::int64_t all, double* shift) {
  if (all == 0) return;
  const cudaStream_t stream = stream_of(backend);
  add_up<<<blocks_for(all), threads, 0, stream>>>(parts, step, count, all, shift);
  launched(stream);
}

void search_clusters(Backend& backend, const Box& box, const ClusterSearch& search) {
  for_columns(stream_of(backend), box, Each<ClusterSearch>{search});
}

void build_strong_clusters(Backend& backend, std::uint32_t count, const StrongClusterBuild& build) {
  for_columns(stream_of(backend), Box{{0, 0, 0}, {static_cast<int>(count), 1, 1}}, Each<StrongClusterBuild>{build});
}

void correct_strong_clusters(Backend& backend, const StrongClusterViews& v, const Field& b, Field& u) {
  if (lanes * v.count > threads_of_few) {
    find_shifts(backend, v, b, u);
    return shift_values(backend, v, u);
  }
  const cudaStream_t stream = stream_of(backend);
  dispatch(b.precision(), [&]<class B>(B) {
    dispatch(u.precision(), [&]<class T>(T) {
      correct_few<<<1, threads_of_few, 0, stream>>>(v, static_cast<const B*>(b.data()), static_cast<T*>(u.data()));
    });
  });
  launched(stream);
}

}  // namespace poisson::cuda
