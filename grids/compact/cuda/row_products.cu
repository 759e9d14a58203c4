#include <limits>
#include <tuple>

#include "grids/compact/cuda/device_rows.cuh"
#include "grids/compact/cuda/short_products.cuh"
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
  __host__ __device__ int before([[maybe_unused]] int n) const {
#ifdef __CUDA_ARCH__
    int sum = n;
    for (int offset = 1; offset < width; offset *= 2) {
      const int other = __shfl_up_sync(mask, sum, offset, width);
      if (lane >= offset) sum += other;
    }
    return sum - n;
#else
    return 0;
#endif
  }
};

// Describes tables: lanes of a team, teams of a block, places, and the entries of a row that they serve.
template <int width, int teams_of_block, int places>
struct Tier {
  static constexpr int lanes = width, teams = teams_of_block, size = places, most = places / 4 * 3;
};

// Computes listed rows, or all rows, and appends them where there is room. Blocks append in any order.
template <class T>
__global__ void append_product(RowProduct product, const int* list, std::int64_t n, Appended to) {
  extern __shared__ double memory[];
  __shared__ int counts[T::teams];
  __shared__ unsigned long long base;
  const Lanes<T::lanes> team;
  const int number = static_cast<int>(threadIdx.x) / T::lanes;
  const std::int64_t k = std::int64_t{blockIdx.x} * T::teams + number;
  const std::int64_t i = k < n ? (list ? list[k] : k) : 0;
  int* const keys = reinterpret_cast<int*>(memory + T::size * T::teams);
  const ColumnTable table{keys + number * T::size, memory + number * T::size, T::size};
  const int found = k < n ? product.sum(team, i, table, T::most) : 0;
  if (team.lane == 0) counts[number] = max(0, found);
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int t = 0; t < T::teams; ++t) all += counts[t];
    base = atomicAdd(to.next, static_cast<unsigned long long>(all));
  }
  __syncthreads();
  if (k >= n) return;
  auto first = static_cast<std::int64_t>(base);
  for (int t = 0; t < number; ++t) first += counts[t];
  if (team.lane == 0) {
    to.first[i] = first;
    to.end[i] = first + found;
  }
  if (found > 0 && first + found <= to.capacity) RowProduct::write(team, table, to.column + first, to.value + first);
}

// Sums rows of a product on a known pattern. `fails` marks rows that exceed the table.
template <class T>
__global__ void fill_product(RowProduct product, const int* list, std::int64_t n, KnownRow known, int* fails) {
  extern __shared__ double memory[];
  const Lanes<T::lanes> team;
  const int number = static_cast<int>(threadIdx.x) / T::lanes;
  const std::int64_t k = std::int64_t{blockIdx.x} * T::teams + number;
  if (k >= n) return;
  const std::int64_t i = list ? list[k] : k;
  int* const keys = reinterpret_cast<int*>(memory + T::size * T::teams);
  const ColumnTable table{keys + number * T::size, memory + number * T::size, T::size};
  const int found = product.sum(team, i, table, T::most);
  if (team.lane == 0) fails[i] = found < 0 ? 1 : 0;
  team.sync();
  if (found >= 0) known.fill(team, i, table);
}

struct IsMarked {
  const int* mark;
  __device__ bool operator()(int i) const { return mark[i] != 0; }
};

struct Failed {
  const std::int64_t *first, *end;
  __device__ bool operator()(int i) const { return end[i] < first[i]; }
};
struct CountFailed {
  const std::int64_t *first, *end;
  __device__ double operator()(std::int64_t i) const { return end[i] < first[i] ? 1 : 0; }
};
struct Length {
  const std::int64_t *first, *end;
  __device__ double operator()(std::int64_t i) const { return static_cast<double>(end[i] - first[i]); }
};
struct WriteLength {
  const std::int64_t *first, *end;
  std::int64_t* length;
  __device__ void operator()(std::int64_t i) const { length[i] = end[i] - first[i]; }
};

template <class F>
void allow_memory(F* kernel, std::size_t bytes) {
  if (bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

using Tiers = std::tuple<Tier<4, 32, 32>, Tier<4, 16, 64>, Tier<16, 8, 128>, Tier<32, 4, 512>, Tier<32, 1, 2048>,
                         Tier<32, 1, 8192>>;
constexpr int tiers = 6;

template <class F>
void with_tier(int number, const F& f) {
  [&]<std::size_t... t>(std::index_sequence<t...>) {
    ((number == static_cast<int>(t) ? f(std::tuple_element_t<t, Tiers>{}) : void()), ...);
  }
  (std::make_index_sequence<tiers>{});
}

// Returns the first tier that probably serves most rows. Few lanes share short rows of B.
int first_tier(const DeviceMatrix& A, std::int64_t B_rows, std::int64_t B_entries) {
  const auto mean = [](std::int64_t entries, std::int64_t rows) {
    return static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  };
  const double length = mean(B_entries, B_rows), products = mean(A.entries, A.rows) * length;
  if (products > 3000) return 3;
  return length > 8 ? 2 : products < 80 ? 0 : 1;
}

// Returns whether most rows of a product have few entries.
bool has_short_rows(const RowProduct& product, const DeviceMatrix& A, std::int64_t B_rows, std::int64_t B_entries) {
  return product.A.rows >= 1 << 16 && A.entries <= 16 * A.rows && B_entries <= 4 * B_rows;
}

void append(DeviceRows& rows, int tier, const RowProduct& product, const int* list, std::int64_t n,
            const Appended& to) {
  with_tier(tier, [&]<class T>(T) {
    const std::size_t bytes = (sizeof(int) + sizeof(double)) * T::size * T::teams;
    allow_memory(append_product<T>, bytes);
    append_product<T>
        <<<DeviceRows::blocks(n, T::teams), T::lanes * T::teams, bytes, rows.stream()>>>(product, list, n, to);
    launched(rows.stream());
  });
}

RowProduct product_of(const DeviceMatrix& A, const LooseRows& B) {
  return {A.view(), static_cast<const std::int64_t*>(B.first.data()), static_cast<const std::int64_t*>(B.end.data()),
          static_cast<const int*>(B.column.data()), static_cast<const double*>(B.value.data())};
}

// Computes all rows, those with too many entries for a table again with a larger one. Returns the entries.
std::int64_t append_all(DeviceRows& rows, const RowProduct& product, bool short_rows, int tier, const Appended& to) {
  Buffer list;
  std::int64_t n = product.A.rows;
  check(cudaMemsetAsync(to.next, 0, sizeof *to.next, rows.stream()));
  for (;; ++tier) {
    if (tier == tiers) throw TooDense();
    if (short_rows) {
      append_short<<<DeviceRows::blocks(n, short_threads), short_threads, 0, rows.stream()>>>(product, to);
      launched(rows.stream());
      short_rows = false;
      --tier;
    } else {
      append(rows, tier, product, static_cast<const int*>(list.data()), n, to);
    }
    if (!list.data()) {
      if (rows.sum(n, CountFailed{to.first, to.end}) == 0) break;
      list = rows.make<int>(n);
      rows.each(n, ListAll{rows.at(list)});
    }
    n = rows.keep(list, n, Failed{to.first, to.end});
    if (n == 0) break;
  }
  std::int64_t all = 0;
  rows.backend().read(to.next, &all, sizeof all);
  return all;
}

LooseRows loose_rows(DeviceRows& rows, const RowProduct& product, std::int64_t columns, bool short_rows, int tier,
                     std::int64_t likely) {
  LooseRows C;
  C.rows = product.A.rows;
  C.columns = columns;
  C.first = rows.make<std::int64_t>(C.rows);
  C.end = rows.make<std::int64_t>(C.rows);
  const Buffer next = rows.make<std::int64_t>(1);
  for (std::int64_t capacity = likely;; capacity = C.entries) {
    C.column = rows.make<int>(capacity);
    C.value = rows.make<double>(capacity);
    C.entries =
        append_all(rows, product, short_rows, tier,
                   {rows.at(next), capacity, rows.at(C.first), rows.at(C.end), rows.at(C.column), rows.at(C.value)});
    if (C.entries <= capacity) return C;
    C.column = {};
    C.value = {};
  }
}

}  // namespace

LooseRows loose_product(DeviceRows& rows, const DeviceMatrix& A, const DeviceMatrix& B, std::int64_t likely) {
  const CsrView b = B.view();
  const RowProduct product{A.view(), b.start, b.start + 1, b.column, b.value};
  return loose_rows(rows, product, B.columns, has_short_rows(product, A, B.rows, B.entries),
                    first_tier(A, B.rows, B.entries), likely);
}

LooseRows loose_product(DeviceRows& rows, const DeviceMatrix& A, const LooseRows& B, std::int64_t likely) {
  return loose_rows(rows, product_of(A, B), B.columns, false, first_tier(A, B.rows, B.entries), likely);
}

void update_product(DeviceRows& rows, const DeviceMatrix& A, const LooseRows& B, DeviceMatrix& C) {
  const RowProduct product = product_of(A, B);
  const KnownRow known{C.view().start, C.view().column, rows.at(C.value)};
  const Buffer fails = rows.make<int>(C.rows);
  Buffer list = rows.make<int>(C.rows);
  rows.each(C.rows, ListAll{rows.at(list)});
  std::int64_t n = C.rows;
  for (int tier = first_tier(A, B.rows, B.entries); n > 0; ++tier) {
    if (tier == tiers) throw TooDense();
    with_tier(tier, [&]<class T>(T) {
      const std::size_t bytes = (sizeof(int) + sizeof(double)) * T::size * T::teams;
      allow_memory(fill_product<T>, bytes);
      fill_product<T><<<DeviceRows::blocks(n, T::teams), T::lanes * T::teams, bytes, rows.stream()>>>(
          product, rows.at(list), n, known, rows.at(fails));
      launched(rows.stream());
    });
    n = rows.keep(list, n, IsMarked{rows.at(fails)});
  }
}

void update_transpose(DeviceRows& rows, const DeviceMatrix& A, const Buffer& places, DeviceMatrix& T) {
  if (places.data()) return rows.each(T.entries, CopyPlaces{A.view().value, rows.at(places), rows.at(T.value)});
  rows.each(T.rows, TransposeRow{A.view(), T.view().start, rows.at(T.column), rows.at(T.value)});
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
template <class T, class Sort>
__global__ void sort_rows(Sort sort, std::int64_t n, const std::int64_t* start, std::int64_t fewest) {
  extern __shared__ double memory[];
  const Lanes<T::lanes> team;
  const int number = static_cast<int>(threadIdx.x) / T::lanes;
  const std::int64_t i = std::int64_t{blockIdx.x} * T::teams + number;
  if (i >= n) return;
  const std::int64_t entries = start[i + 1] - start[i];
  if (entries >= fewest && entries <= T::size) sort.sort(team, i, reinterpret_cast<int*>(memory) + number * T::size);
}

// Sorts the rows of a matrix, whose starts are known.
template <class Sort>
void sort_all(DeviceRows& rows, const DeviceMatrix& A, const Sort& sort) {
  const std::int64_t* const start = A.view().start;
  const auto longest = static_cast<std::int64_t>(rows.most(A.rows, Length{start, start + 1}, 0));
  const auto of_tier = [&]<class T>(T, std::int64_t fewest) {
    const std::size_t bytes = sizeof(int) * T::size * T::teams;
    allow_memory(sort_rows<T, Sort>, bytes);
    sort_rows<T, Sort><<<DeviceRows::blocks(A.rows, T::teams), T::lanes * T::teams, bytes, rows.stream()>>>(
        sort, A.rows, start, fewest);
    launched(rows.stream());
  };
  using Short = Tier<16, 8, 128>;
  using Middle = Tier<32, 1, 1024>;
  using Long = Tier<32, 1, 16384>;
  if (longest > Long::size) throw TooDense();
  of_tier(Short{}, 0);
  if (longest > Short::size) of_tier(Middle{}, Short::size + 1);
  if (longest > Middle::size) of_tier(Long{}, Middle::size + 1);
}

}  // namespace

DeviceMatrix sorted(DeviceRows& rows, const LooseRows& loose) {
  DeviceMatrix A;
  const std::int64_t *const first = rows.at(loose.first), *const end = rows.at(loose.end);
  A.start = rows.make<std::int64_t>(loose.rows + 1);
  rows.each(loose.rows, WriteLength{first, end, rows.at(A.start)});
  rows.resize(A, loose.rows, loose.columns, rows.sum_up(A.start, loose.rows));
  sort_all(rows, A,
           SortedRow{first, end, A.view().start, rows.at(loose.column), rows.at(loose.value), rows.at(A.column),
                     rows.at(A.value)});
  return A;
}

DeviceMatrix transpose(DeviceRows& rows, const DeviceMatrix& A, Buffer* places) {
  DeviceMatrix T;
  T.start = rows.make<std::int64_t>(A.columns + 1);
  rows.each(A.rows, CountColumns{A.view(), rows.at(T.start)});
  rows.resize(T, A.columns, A.rows, rows.sum_up(T.start, A.columns));
  {
    const Buffer next = rows.make<std::int64_t>(T.rows);
    rows.each(T.rows, CopyStarts{rows.at(T.start), rows.at(next)});
    rows.each(A.rows, ScatterRows{A.view(), rows.at(next), rows.at(T.column)});
  }
  const bool numbered = places && A.entries <= std::numeric_limits<int>::max();
  if (numbered) *places = rows.make<int>(A.entries);
  sort_all(rows, T,
           TransposeRow{A.view(), T.view().start, rows.at(T.column), rows.at(T.value),
                        numbered ? static_cast<int*>(places->data()) : nullptr});
  return T;
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
