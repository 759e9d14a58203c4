#include <tuple>

#include "grids/compact/cuda/device_rows.cuh"
#include "grids/compact/product_steps.hpp"

namespace poisson::cuda {

__global__ void __launch_bounds__(1024) scan_tiles(std::int64_t tiles, std::int64_t* tile, std::int64_t* all) {
  await_others();
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < tiles; first += 1024) {
    const std::int64_t at = first + threadIdx.x;
    std::int64_t total = before;
    const std::int64_t own = at < tiles ? tile[at] : 0, preceding = before + sum_before(own, total);
    if (at < tiles) tile[at] = preceding;
    before = total;
  }
  if (threadIdx.x == 0) *all = before;
}

namespace {

/// Is a team of lanes of a warp.
template <int width>
struct Lanes {
  static constexpr int lanes = width;
  int lane = 0;
  unsigned mask = 0xffffffffu;

  __device__ Lanes() : lane(static_cast<int>(threadIdx.x) % width) {
    if (width < 32) mask = ((1u << (width % 32)) - 1) << (static_cast<int>(threadIdx.x) % 32 / width * width);
  }
  // Shared steps are constexpr functions, which may call only functions that exist on the host.
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp(mask);
#endif
  }
  __host__ __device__ int claim([[maybe_unused]] int* place, [[maybe_unused]] int key) const {
#ifdef __CUDA_ARCH__
    const int old = *static_cast<volatile int*>(place);
    return old == ColumnTable::empty ? atomicCAS(place, ColumnTable::empty, key) : old;
#else
    return 0;
#endif
  }
  __host__ __device__ int total(int n) const {
#ifdef __CUDA_ARCH__
    for (int offset = width / 2; offset > 0; offset /= 2) n += __shfl_xor_sync(mask, n, offset, width);
#endif
    return n;
  }
};

// Describes tables: lanes of a team, teams of a block, places, and the entries of a row that they serve.
template <int width, int teams_of_block, int places>
struct Tier {
  static constexpr int lanes = width, teams = teams_of_block, size = places, most = places / 4 * 3;
};

// Counts the entries of listed rows, or of all rows.
template <class T>
__global__ void __launch_bounds__(T::lanes* T::teams)
    count_product(RowProduct product, const int* list, std::int64_t n, std::int64_t* count) {
  extern __shared__ double memory[];
  const Lanes<T::lanes> team;
  const int number = static_cast<int>(threadIdx.x) / T::lanes;
  const std::int64_t k = std::int64_t{blockIdx.x} * T::teams + number;
  if (k >= n) return;
  const std::int64_t i = list ? list[k] : k;
  const ColumnTable table{reinterpret_cast<int*>(memory) + number * T::size, nullptr, T::size};
  const int found = product.count(team, i, table, T::most);
  if (team.lane == 0) count[i] = found;
}

template <class T>
__global__ void __launch_bounds__(T::lanes* T::teams)
    fill_product(RowProduct product, const int* list, std::int64_t n, int fewest, const std::int64_t* start,
                 int* column, double* value) {
  extern __shared__ double memory[];
  const Lanes<T::lanes> team;
  const int number = static_cast<int>(threadIdx.x) / T::lanes;
  const std::int64_t k = std::int64_t{blockIdx.x} * T::teams + number;
  if (k >= n) return;
  const std::int64_t i = list ? list[k] : k, entries = start[i + 1] - start[i];
  if (entries < fewest || entries > T::most) return;
  int* const keys = reinterpret_cast<int*>(memory + T::size * T::teams);
  const ColumnTable table{keys + number * T::size, memory + number * T::size, T::size};
  product.fill(team, i, table, column + start[i], value + start[i]);
}

struct Failed {
  const std::int64_t* count;
  __device__ bool operator()(int i) const { return count[i] < 0; }
};
struct LongerThan {
  const std::int64_t* start;
  int entries;
  __device__ bool operator()(int i) const { return start[i + 1] - start[i] > entries; }
};
struct CountFailed {
  const std::int64_t* count;
  __device__ double operator()(std::int64_t i) const { return count[i] < 0 ? 1 : 0; }
};
struct Length {
  const std::int64_t* start;
  __device__ double operator()(std::int64_t i) const { return static_cast<double>(start[i + 1] - start[i]); }
};

template <class F>
void allow_memory(F* kernel, std::size_t bytes) {
  if (bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

using Tiers = std::tuple<Tier<4, 32, 32>, Tier<16, 8, 128>, Tier<32, 4, 512>, Tier<32, 1, 2048>, Tier<32, 1, 8192>>;
constexpr int tiers = 5;

template <class F>
void with_tier(int number, const F& f) {
  [&]<std::size_t... t>(std::index_sequence<t...>) {
    ((number == static_cast<int>(t) ? f(std::tuple_element_t<t, Tiers>{}) : void()), ...);
  }(std::make_index_sequence<tiers>{});
}

// Returns the first tier that probably serves most rows.
int first_tier(const DeviceMatrix& A, const DeviceMatrix& B) {
  const auto length = [](const DeviceMatrix& M) {
    return static_cast<double>(M.entries) / static_cast<double>(std::max<std::int64_t>(1, M.rows));
  };
  const double products = length(A) * length(B);
  return products < 60 ? 0 : products < 3000 ? 1 : 2;
}

void launch_count(DeviceRows& rows, int tier, const RowProduct& product, const int* list, std::int64_t n,
                  std::int64_t* count) {
  with_tier(tier, [&]<class T>(T) {
    const std::size_t bytes = sizeof(int) * T::size * T::teams;
    allow_memory(count_product<T>, bytes);
    count_product<T><<<DeviceRows::blocks(n, T::teams), T::lanes * T::teams, bytes, rows.stream()>>>(product, list, n,
                                                                                                     count);
    launched(rows.stream());
  });
}

void launch_fill(DeviceRows& rows, int tier, bool first, const RowProduct& product, const int* list, std::int64_t n,
                 const DeviceMatrix& C) {
  int fewest = 0;
  if (!first) with_tier(tier - 1, [&]<class T>(T) { fewest = T::most + 1; });
  with_tier(tier, [&]<class T>(T) {
    const std::size_t bytes = (sizeof(int) + sizeof(double)) * T::size * T::teams;
    allow_memory(fill_product<T>, bytes);
    fill_product<T><<<DeviceRows::blocks(n, T::teams), T::lanes * T::teams, bytes, rows.stream()>>>(
        product, list, n, fewest, static_cast<const std::int64_t*>(C.start.data()), static_cast<int*>(C.column.data()),
        static_cast<double*>(C.value.data()));
    launched(rows.stream());
  });
}

}  // namespace

void product_values(DeviceRows& rows, const DeviceMatrix& A, const DeviceMatrix& B, DeviceMatrix& C) {
  const RowProduct product{A.view(), B.view()};
  const auto longest = static_cast<int>(rows.most(C.rows, Length{C.view().start}, 0));
  int tier = 0;
  while (tier + 1 < tiers && tier < first_tier(A, B)) ++tier;
  Buffer list;
  std::int64_t n = C.rows;
  for (bool first = true; tier < tiers; ++tier, first = false) {
    launch_fill(rows, tier, first, product, static_cast<const int*>(list.data()), n, C);
    int most = 0;
    with_tier(tier, [&]<class T>(T) { most = T::most; });
    if (longest <= most) return;
    if (first) {
      list = rows.make<int>(n);
      rows.each(n, ListAll{rows.at(list)});
    }
    n = rows.keep(list, n, LongerThan{C.view().start, most});
  }
}

DeviceMatrix product(DeviceRows& rows, const DeviceMatrix& A, const DeviceMatrix& B) {
  DeviceMatrix C;
  C.start = rows.make<std::int64_t>(A.rows + 1);
  auto* const count = static_cast<std::int64_t*>(C.start.data());
  const RowProduct product{A.view(), B.view()};
  Buffer list;
  std::int64_t n = A.rows;
  for (int tier = first_tier(A, B);; ++tier) {
    if (tier == tiers) throw TooDense();
    launch_count(rows, tier, product, static_cast<const int*>(list.data()), n, count);
    if (!list.data()) {
      if (rows.sum(n, CountFailed{count}) == 0) break;
      list = rows.make<int>(n);
      rows.each(n, ListAll{rows.at(list)});
    }
    n = rows.keep(list, n, Failed{count});
    if (n == 0) break;
  }
  list = {};
  rows.resize(C, A.rows, B.columns, rows.sum_up(C.start, A.rows));
  product_values(rows, A, B, C);
  return C;
}

namespace {

struct CountColumns {
  CsrView A;
  unsigned long long* count;
  __device__ void operator()(std::int64_t i) const {
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) atomicAdd(count + A.column[k], 1ULL);
  }
};
// Writes rows of the transpose in arbitrary order.
struct ScatterRows {
  CsrView A;
  unsigned long long* next;
  int* column;
  __device__ void operator()(std::int64_t i) const {
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      column[atomicAdd(next + A.column[k], 1ULL)] = static_cast<int>(i);
  }
};
struct CopyStarts {
  const std::int64_t* from;
  std::int64_t* to;
  __device__ void operator()(std::int64_t i) const { to[i] = from[i]; }
};
struct FindValues {
  TransposeRow transpose;
  __device__ void operator()(std::int64_t i) const {
    for (std::int64_t k = transpose.start[i]; k < transpose.start[i + 1]; ++k)
      transpose.value[k] = transpose.value_at(transpose.column[k], static_cast<int>(i));
  }
};

template <class T>
__global__ void __launch_bounds__(T::lanes* T::teams)
    sort_rows(TransposeRow transpose, std::int64_t n, std::int64_t fewest) {
  extern __shared__ double memory[];
  const Lanes<T::lanes> team;
  const int number = static_cast<int>(threadIdx.x) / T::lanes;
  const std::int64_t i = std::int64_t{blockIdx.x} * T::teams + number;
  if (i >= n) return;
  const std::int64_t entries = transpose.start[i + 1] - transpose.start[i];
  if (entries >= fewest && entries <= T::size)
    transpose.sort(team, i, reinterpret_cast<int*>(memory) + number * T::size);
}

}  // namespace

DeviceMatrix transpose(DeviceRows& rows, const DeviceMatrix& A) {
  DeviceMatrix T;
  T.start = rows.make<std::int64_t>(A.columns + 1);
  rows.each(A.rows, CountColumns{A.view(), rows.at(T.start)});
  rows.resize(T, A.columns, A.rows, rows.sum_up(T.start, A.columns));
  {
    const Buffer next = rows.make<std::int64_t>(T.rows);
    rows.each(T.rows, CopyStarts{rows.at(T.start), rows.at(next)});
    rows.each(A.rows, ScatterRows{A.view(), rows.at(next), rows.at(T.column)});
  }
  const auto longest = static_cast<std::int64_t>(rows.most(T.rows, Length{T.view().start}, 0));
  const TransposeRow transposed{A.view(), T.view().start, rows.at(T.column), rows.at(T.value)};
  const auto sort = [&]<class Own>(Own, std::int64_t fewest) {
    const std::size_t bytes = sizeof(int) * Own::size * Own::teams;
    allow_memory(sort_rows<Own>, bytes);
    sort_rows<Own><<<DeviceRows::blocks(T.rows, Own::teams), Own::lanes * Own::teams, bytes, rows.stream()>>>(
        transposed, T.rows, fewest);
    launched(rows.stream());
  };
  using Short = Tier<32, 4, 256>;
  using Long = Tier<32, 1, 16384>;
  if (longest > Long::size) throw TooDense();
  sort(Short{}, 0);
  if (longest > Short::size) sort(Long{}, Short::size + 1);
  return T;
}

void transpose_values(DeviceRows& rows, const DeviceMatrix& A, DeviceMatrix& T) {
  rows.each(T.rows, FindValues{{A.view(), T.view().start, rows.at(T.column), rows.at(T.value)}});
}

DeviceMatrix to_device(DeviceRows& rows, const CsrView& A) {
  DeviceMatrix copy;
  copy.start = rows.make<std::int64_t>(A.rows + 1);
  rows.resize(copy, A.rows, A.columns, A.start[A.rows]);
  const auto entries = static_cast<std::size_t>(copy.entries);
  rows.backend().write(A.start, copy.start.data(), static_cast<std::size_t>(A.rows + 1) * sizeof(std::int64_t));
  rows.backend().write(A.column, copy.column.data(), entries * sizeof(int));
  rows.backend().write(A.value, copy.value.data(), entries * sizeof(double));
  return copy;
}

}  // namespace poisson::cuda
