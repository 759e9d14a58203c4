#include "backends/cuda/cuda_backend.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/strong_clusters.hpp"

namespace poisson::cuda {
namespace {

constexpr unsigned threads = 256;
// Most strong clusters have a few values and about thirty entries, and `lanes` lanes process each of them. A warp
// processes larger clusters one after another. Blocks process the pieces of the largest clusters.
constexpr unsigned lanes = 8;
constexpr std::uint32_t most_entries_of_lanes = 64;

struct Span {
  std::uint32_t begin, end;
};
// Each of the following terms names the list whose entries a cluster adds up, and the result of the sum.
template <class B>
struct RightHandSide {
  const B* b;
  __device__ static Span list(const StrongClusterTables& c, std::int64_t s) { return {c.first[s], c.first[s + 1]}; }
  __device__ double entry(const StrongClusterTables& c, std::uint32_t m) const {
    return static_cast<double>(b[c.values[m]]);
  }
  __device__ static void keep(const StrongClusterTables& c, std::int64_t s, double sum) { c.rhs[s] = sum; }
};
template <class T>
struct Shift {
  const T* u;
  __device__ static Span list(const StrongClusterTables& c, std::int64_t s) {
    return {c.row_first[s], c.row_first[s + 1]};
  }
  __device__ double entry(const StrongClusterTables& c, std::uint32_t e) const {
    return -static_cast<double>(c.weights[e]) * static_cast<double>(u[c.row_places[e]]);
  }
  __device__ static void keep(const StrongClusterTables& c, std::int64_t s, double sum) {
    c.shift[s] = c.inverse[s] * (c.rhs[s] + sum);
  }
};

// Adds the thread's share of a list.
template <class Term>
__device__ double add_list(const StrongClusterTables& c, const Term& term, Span list, std::uint32_t lane,
                           std::uint32_t step) {
  double sum = 0;
#pragma unroll 4
  for (std::uint32_t e = list.begin + lane; e < list.end; e += step) sum += term.entry(c, e);
  return sum;
}

// Returns piece k of a list.
__device__ Span piece_of(Span list, std::uint32_t k) {
  const std::uint32_t begin = min(list.end, list.begin + k * StrongClusterTables::most_of_piece);
  return {begin, min(list.end, begin + StrongClusterTables::most_of_piece)};
}

// Returns the sum over all threads of the block, to thread 0.
__device__ double sum_of_block(double sum) {
  __shared__ double of_warp[threads / 32];
  for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned w = 1; w < threads / 32; ++w) sum += of_warp[w];
  return sum;
}

// Lanes add in a fixed order. All threads of a warp must call this function.
template <class Term>
__device__ void add_cluster(const StrongClusterTables& c, const Term& term, std::int64_t s) {
  const bool here = s < c.count && !c.in_pieces(s);
  const Span list = here ? Term::list(c, s) : Span{0, 0};
  const bool small = here && list.end - list.begin <= most_entries_of_lanes;
  const std::uint32_t lane = threadIdx.x % lanes;
  double sum = small ? add_list(c, term, list, lane, lanes) : 0;
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, lanes);
  if (small && lane == 0) Term::keep(c, s, sum);
  for (unsigned large = __ballot_sync(0xffffffffu, here && !small && lane == 0); large != 0; large &= large - 1) {
    const std::int64_t of_warp = __shfl_sync(0xffffffffu, s, __ffs(static_cast<int>(large)) - 1);
    sum = add_list(c, term, Term::list(c, of_warp), threadIdx.x % 32, 32);
    for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) Term::keep(c, of_warp, sum);
  }
}

// Calls f(cluster, k) for piece k of a cluster, if the cluster is among these.
template <class F>
__device__ void with_piece(const StrongClusterTables& c, std::int64_t piece, const F& f) {
  const std::int64_t s = std::int64_t{c.piece_cluster[piece]} - c.first_number;
  if (s >= 0 && s < c.count) f(s, static_cast<std::uint32_t>(piece) - c.piece_first[s]);
}

__device__ std::int64_t cluster_of_lanes() {
  return (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
}

// The first `blocks` blocks process the clusters without pieces, the others one piece each.
template <class Term>
__global__ void add_clusters(StrongClusterTables c, Term term, unsigned blocks) {
  if (blockIdx.x < blocks) return add_cluster(c, term, cluster_of_lanes());
  const std::int64_t piece = blockIdx.x - blocks;
  with_piece(c, piece, [&](std::int64_t s, std::uint32_t k) {
    const double sum = sum_of_block(add_list(c, term, piece_of(Term::list(c, s), k), threadIdx.x, threads));
    if (threadIdx.x == 0) c.piece_sum[piece] = sum;
  });
}

// Adds the pieces of a cluster in the block of its first piece.
template <class Term>
__global__ void add_pieces(StrongClusterTables c, Term) {
  with_piece(c, blockIdx.x, [&](std::int64_t s, std::uint32_t k) {
    if (k != 0) return;
    double sum = 0;
    for (std::uint32_t p = c.piece_first[s] + threadIdx.x; p < c.piece_first[s + 1]; p += threads)
      sum += c.piece_sum[p];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) Term::keep(c, s, sum);
  });
}

// Strong clusters are disjoint, so each value is written by one thread.
template <class T>
__device__ void shift_value(const StrongClusterTables& c, std::uint32_t m, T* value) {
  value[c.values[m]] += static_cast<T>(c.shift[c.cluster[m]]);
}
template <class T>
__global__ void shift_all(StrongClusterTables c, T* value) {
  const std::uint32_t m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m < c.value_count) shift_value(c, m, value);
}

// One block of this size corrects few strong clusters in one launch, so that no other block has to wait for the shifts.
constexpr unsigned threads_of_few = 1024;
template <class T>
__global__ void __launch_bounds__(threads_of_few) correct_few(StrongClusterTables c, T* value) {
  add_cluster(c, Shift<T>{value}, threadIdx.x / lanes);
  __syncthreads();
#pragma unroll 4
  for (std::uint32_t m = threadIdx.x; m < c.value_count; m += threads_of_few) shift_value(c, m, value);
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

template <class Term>
void add(Backend& backend, const StrongClusterTables& c, const Term& term) {
  if (c.count == 0) return;
  const cudaStream_t stream = stream_of(backend);
  const unsigned blocks = blocks_for(lanes * c.count), pieces = static_cast<unsigned>(c.pieces);
  add_clusters<<<blocks + pieces, threads, 0, stream>>>(c, term, blocks);
  launched(stream);
  if (pieces == 0) return;
  add_pieces<<<pieces, threads, 0, stream>>>(c, term);
  launched(stream);
}

}  // namespace

void sum_rhs(Backend& backend, const StrongClusterTables& c, const Field& b) {
  dispatch(b.precision(), [&]<class B>(B) { add(backend, c, RightHandSide<B>{static_cast<const B*>(b.data())}); });
}

void find_shifts(Backend& backend, const StrongClusterTables& c, const Field& u) {
  dispatch(u.precision(), [&]<class T>(T) { add(backend, c, Shift<T>{static_cast<const T*>(u.data())}); });
}

// A process may have none of the values of clusters that extend over several others.
void shift_values(Backend& backend, const StrongClusterTables& c, Field& u) {
  if (c.value_count == 0) return;
  const cudaStream_t stream = stream_of(backend);
  dispatch(u.precision(), [&]<class T>(T) {
    shift_all<<<blocks_for(c.value_count), threads, 0, stream>>>(c, static_cast<T*>(u.data()));
  });
  launched(stream);
}

void correct_clusters(Backend& backend, const StrongClusterTables& c, Field& u) {
  if (c.count == 0) return;
  if (lanes * c.count > threads_of_few || c.pieces > 0) {
    find_shifts(backend, c, u);
    return shift_values(backend, c, u);
  }
  const cudaStream_t stream = stream_of(backend);
  dispatch(u.precision(),
           [&]<class T>(T) { correct_few<<<1, threads_of_few, 0, stream>>>(c, static_cast<T*>(u.data())); });
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

}  // namespace poisson::cuda
