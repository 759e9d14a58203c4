#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/each_point.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/strong_clusters.hpp"

namespace poisson::cuda {
namespace {

constexpr unsigned threads = 256;
// Most strong clusters have a few values and about thirty entries, and `lanes` lanes process each of them. Warps
// process the pieces of larger clusters.
constexpr unsigned lanes = 8, warps = threads / 32;

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
#pragma unroll 8
  for (std::uint32_t e = list.begin + lane; e < list.end; e += step) sum += term.entry(c, e);
  return sum;
}

// Returns the sum over a warp, or over `width` of its lanes, to the first of them.
__device__ double sum_of_lanes(double sum, unsigned width = 32) {
  for (unsigned offset = width / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, width);
  return sum;
}

// Lanes add in a fixed order. All threads of a warp must call this function.
template <class Term>
__device__ void add_cluster(const StrongClusterTables& c, const Term& term, std::int64_t s) {
  const bool here = s < c.count && !c.in_pieces(s);
  const std::uint32_t lane = threadIdx.x % lanes;
  const double sum = sum_of_lanes(here ? add_list(c, term, Term::list(c, s), lane, lanes) : 0, lanes);
  if (here && lane == 0) Term::keep(c, s, sum);
}

// Names a piece of one of these clusters.
struct Piece {
  std::int64_t cluster;
  std::uint32_t first, count;  // of the cluster's pieces

  __device__ Piece(const StrongClusterTables& c, std::int64_t piece)
      : cluster(std::int64_t{c.piece_cluster[piece]} - c.first_number), first(0), count(0) {
    if (cluster < 0 || cluster >= c.count) return;
    first = c.piece_first[cluster];
    count = c.piece_first[cluster + 1] - first;
  }
};

// Adds the entries of a piece in a warp.
template <class Term>
__device__ double add_piece(const StrongClusterTables& c, const Term& term, const Piece& of, std::int64_t piece) {
  const std::int64_t s = of.cluster;
  const std::uint32_t longer = max(c.first[s + 1] - c.first[s], c.row_first[s + 1] - c.row_first[s]);
  const Span list = Term::list(c, s);
  const std::uint32_t length = StrongClusterTables::piece_length(longer),
                      begin = min(list.end, list.begin + (static_cast<std::uint32_t>(piece) - of.first) * length);
  return sum_of_lanes(add_list(c, term, Span{begin, min(list.end, begin + length)}, threadIdx.x % 32, 32));
}

// Adds the sums of a cluster's pieces in a warp.
template <class Term>
__device__ void add_pieces(const StrongClusterTables& c, const Piece& of) {
  double sum = 0;
#pragma unroll 8
  for (std::uint32_t p = threadIdx.x % 32; p < of.count; p += 32) sum += __ldcg(c.piece_sum + of.first + p);
  sum = sum_of_lanes(sum);
  if (threadIdx.x % 32 == 0) Term::keep(c, of.cluster, sum);
}

// The warp that adds the last piece of a cluster adds up all of them.
template <class Term>
__device__ void add_shared(const StrongClusterTables& c, const Term& term, std::int64_t piece) {
  const Piece of(c, piece);
  if (of.count == 0) return;
  const bool leads = threadIdx.x % 32 == 0;
  const double sum = add_piece(c, term, of, piece);
  if (of.count == 1) {
    if (leads) Term::keep(c, of.cluster, sum);
    return;
  }
  bool last = false;
  if (leads) {
    c.piece_sum[piece] = sum;
    __threadfence();
    last = atomicAdd(c.piece_done + of.first, 1) + 1 == of.count;
    if (last) c.piece_done[of.first] = 0;
  }
  if (!__shfl_sync(0xffffffffu, last, 0)) return;
  __threadfence();
  add_pieces<Term>(c, of);
}

// The first `blocks` blocks process the clusters without pieces. Each warp of the others processes a piece.
template <class Term>
__global__ void __launch_bounds__(threads) add_clusters(StrongClusterTables c, Term term, unsigned blocks) {
  await_others();
  if (blockIdx.x < blocks) return add_cluster(c, term, (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes);
  const std::int64_t piece = std::int64_t{blockIdx.x - blocks} * warps + threadIdx.x / 32;
  if (piece < c.pieces) add_shared(c, term, piece);
}

// Strong clusters are disjoint, so each value is written by one thread.
template <class T>
__device__ void shift_value(const StrongClusterTables& c, std::uint32_t m, T* value) {
  value[c.values[m]] += static_cast<T>(c.shift[c.cluster[m]]);
}
template <class T>
__global__ void __launch_bounds__(threads) shift_all(StrongClusterTables c, T* value) {
  await_others();
  const std::uint32_t m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m < c.value_count) shift_value(c, m, value);
}

// One block of this size corrects few strong clusters in one launch, so that no other block has to wait for the shifts.
constexpr unsigned threads_of_few = 1024;
constexpr std::int64_t most_pieces_of_few = 8 * threads_of_few / 32, most_values_of_few = 8 * threads_of_few;

bool are_few(const StrongClusterTables& c) {
  return lanes * c.count <= threads_of_few && c.pieces <= most_pieces_of_few && c.value_count <= most_values_of_few;
}

template <class T>
__global__ void __launch_bounds__(threads_of_few) correct_few(StrongClusterTables c, T* value) {
  await_others();
  const Shift<T> term{value};
  add_cluster(c, term, threadIdx.x / lanes);
  const std::uint32_t warp = threadIdx.x / 32;
  for (std::int64_t p = warp; p < c.pieces; p += threads_of_few / 32) {
    const double sum = add_piece(c, term, Piece(c, p), p);
    if (threadIdx.x % 32 == 0) c.piece_sum[p] = sum;
  }
  __syncthreads();
  if (c.pieces > 0) {
    for (std::int64_t p = warp; p < c.pieces; p += threads_of_few / 32)
      if (const Piece of(c, p); of.first == p) add_pieces<Shift<T>>(c, of);
    __syncthreads();
  }
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

template <ClusterSearch::Step step>
struct Search {
  ClusterSearch search;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) search.take<step>(i, j, k);
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
  const unsigned blocks = blocks_for(lanes * c.count);
  launch(add_clusters<Term>, blocks + static_cast<unsigned>(divide_up(c.pieces, std::int64_t{warps})), threads,
         stream_of(backend), c, term, blocks);
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
  dispatch(u.precision(), [&]<class T>(T) {
    launch(shift_all<T>, blocks_for(c.value_count), threads, stream_of(backend), c, static_cast<T*>(u.data()));
  });
}

void correct_clusters(Backend& backend, const StrongClusterTables& c, Field& u) {
  if (c.count == 0) return;
  if (!are_few(c)) {
    find_shifts(backend, c, u);
    return shift_values(backend, c, u);
  }
  dispatch(u.precision(), [&]<class T>(T) {
    launch(correct_few<T>, 1, threads_of_few, stream_of(backend), c, static_cast<T*>(u.data()));
  });
}

void add_shifts(Backend& backend, const double* parts, std::int64_t step, int count, std::int64_t all, double* shift) {
  if (all == 0) return;
  const cudaStream_t stream = stream_of(backend);
  add_up<<<blocks_for(all), threads, 0, stream>>>(parts, step, count, all, shift);
  launched(stream);
}

void search_clusters(Backend& backend, const Box& box, const ClusterSearch& search) {
  using Step = ClusterSearch::Step;
  const auto take = [&]<Step step>() { for_columns(stream_of(backend), box, Search<step>{search}); };
  switch (search.step) {
    case Step::diagonal:
      return take.template operator()<Step::diagonal>();
    case Step::begin:
      return take.template operator()<Step::begin>();
    case Step::join:
      return take.template operator()<Step::join>();
    case Step::count:
      return take.template operator()<Step::count>();
    case Step::pick:
      return take.template operator()<Step::pick>();
    default:
      for_columns(stream_of(backend), box, EachPoint<ClusterSearch>{search});
  }
}

void build_strong_clusters(Backend& backend, std::uint32_t count, const StrongClusterBuild& build) {
  for_columns(stream_of(backend), Box{{0, 0, 0}, {static_cast<int>(count), 1, 1}},
              EachPoint<StrongClusterBuild>{build});
}

}  // namespace poisson::cuda
