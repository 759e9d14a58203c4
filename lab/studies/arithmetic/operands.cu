// Sources of an instruction's operands: registers in any order, the instruction, constant memory and shared memory; and
// the cost of a barrier.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lab/harness/block_clock.cuh"
#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/arithmetic/kernels.hpp"

namespace poisson::lab {
namespace {

constexpr int block_threads = 512, entries = 16, rounds = 256;

// The table of shared operands: x ← x + s[i] grows slowly, and x ← x + x s[i] grows by a thousandth in all.
constexpr float entry(int i) {
  return static_cast<float>(i + 1) * 0x1p-26f;
}
struct Table {
  float of[entries];
};
constexpr Table table_of_entries() {
  Table table{};
  for (int i = 0; i < entries; ++i) table.of[i] = entry(i);
  return table;
}
__constant__ Table constant_operands = table_of_entries();

template <class T>
constexpr T start_of(int thread, int chain) {
  return 1 + static_cast<T>(thread % 64 + chain) / 128;
}

// These compute one step of a chain, also on the host. y is an operand in a register; s comes from the table.
struct Plus {
  template <class T>
  static __host__ __device__ T step(T x, T y, float) {
    return x + y;
  }
};
struct PlusEntry {
  static __host__ __device__ float step(float x, float, float s) { return x + s; }
};
struct TwiceShared {
  static __host__ __device__ float step(float x, float, float s) { return fmaf(x, s, x); }
};
struct ProductShared {
  static __host__ __device__ float step(float x, float y, float s) { return fmaf(y, s, x); }
};
// If two of three registers share a bank of the register file, the hardware reads them one after the other.
struct Fused {
  static __host__ __device__ float step(float x, float y, float) { return fmaf(x, y, y); }
  static __host__ __device__ double step(double x, double y, float) { return fma(x, y, y); }
};
struct FusedImmediate {
  static __host__ __device__ float step(float x, float y, float) { return fmaf(x, 0.5f, y); }
};
struct Times {
  template <class T>
  static __host__ __device__ T step(T x, T y, float) {
    return x * y;
  }
};

// Where the table is stored. `indexed`: in shared memory, from an entry whose index is in a register.
enum class Source { none, constant, shared, indexed };

// The pointer is volatile, so that every read of shared memory happens, in this order. `first` is 0.
template <class T, class Step, Source source>
__global__ void __launch_bounds__(block_threads, 2) operand_kernel(T y, int first, T* result, BlockTime* times) {
  __shared__ float table[entries];
  if (threadIdx.x < entries) table[threadIdx.x] = entry(static_cast<int>(threadIdx.x));
  __syncthreads();
  const volatile float* const s = source == Source::indexed ? table + first : table;
  const auto from_table = [&](int i) {
    return source == Source::none ? 0.0f : source == Source::constant ? constant_operands.of[i] : s[i];
  };
  T x[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) x[c] = start_of<T>(static_cast<int>(threadIdx.x), c);
  const BlockClock clock;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < entries; ++i) {
#pragma unroll
      for (int c = 0; c < chains; ++c) x[c] = Step::step(x[c], y, from_table(i));
    }
  }
#pragma unroll
  for (int c = 0; c < chains; ++c) result[(std::int64_t{blockIdx.x} * chains + c) * block_threads + threadIdx.x] = x[c];
  clock.stop(times);
}

template <class T, class Step>
T chain_end(int thread, int chain, T y) {
  T x = start_of<T>(thread, chain);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < entries; ++i) x = Step::step(x, y, entry(i));
  return x;
}

// Host and device may differ by a few roundings, because their compilers contract different operations.
template <class T>
bool close(T found, T expected) {
  return std::abs(found - expected) <= static_cast<T>(sizeof(T) == 4 ? 1e-4 : 1e-12) * std::abs(expected);
}

template <class T>
struct Operands {
  std::string_view name;
  void (*kernel)(T y, int first, T* result, BlockTime* times);
  T (*end)(int thread, int chain, T y);
  T y;
};
template <class T, class Step, Source source = Source::none>
constexpr Operands<T> operands_of(std::string_view name, T y) {
  return {name, operand_kernel<T, Step, source>, chain_end<T, Step>, y};
}
constexpr std::array singles{operands_of<float, Plus>(operand::registers, 0x1p-20f),
                             operands_of<float, FusedImmediate>(operand::immediate, 0.5f),
                             operands_of<float, Fused>(operand::three_registers, 0.5f),
                             operands_of<float, PlusEntry, Source::constant>(operand::plus_constant, 0.0f),
                             operands_of<float, PlusEntry, Source::shared>(operand::plus_shared, 0.0f),
                             operands_of<float, PlusEntry, Source::indexed>(operand::plus_indexed, 0.0f),
                             operands_of<float, TwiceShared, Source::shared>(operand::twice_shared, 0.0f),
                             operands_of<float, ProductShared, Source::shared>(operand::product_shared, 0.5f)};
constexpr std::array doubled{operands_of<double, Plus>("+", 0x1p-20), operands_of<double, Times>("*", 1 + 0x1p-20),
                             operands_of<double, Fused>("fma", 0.5)};

template <class T>
Point measure(Session& session, const Operands<T>& operands) {
  Backend& backend = session.backend();
  const int blocks = 2 * multiprocessors();
  const Array<T> result(backend, std::int64_t{blocks} * block_threads * chains);
  const Array<BlockTime> times(backend, blocks);
  spoil(backend, result);
  const cudaStream_t stream = stream_of(backend);
  const Timing seconds = session.time([&] {
    operands.kernel<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(operands.y, 0, result.data(),
                                                                                 times.data());
    cuda::launched(stream);
  });
  const std::vector<T> ends = result.host();
  std::vector<T> expected;
  for (int chain = 0; chain < chains; ++chain)
    for (int thread = 0; thread < 64; ++thread) expected.push_back(operands.end(thread, chain, operands.y));
  bool right = true;
  for (std::size_t i = 0; i < ends.size(); ++i)
    right = right && close(ends[i], expected[i / block_threads % chains * 64 + i % 64]);
  session.check(right, "arithmetic", operands.name, "a chain ends elsewhere than on the host");
  const double results = double{block_threads} * chains * rounds * entries;
  return {std::string(operands.name), 0, seconds, results_per_clock(times.host(), results)};
}

// Two tuples of four components update each other in turn: t ← t + h u. The components of u are in order, as zzyx, or
// given by indices of the launch that also equal zzyx.
enum class Order { plain, zzyx, indexed };
struct Indices {
  int of[4];
};
constexpr float share = 0x1p-12f;

template <Order order>
__host__ __device__ void take(float (&t)[4], const float (&u)[4], const Indices& indices) {
  for (int c = 0; c < 4; ++c)
    t[c] = fmaf(u[order == Order::plain ? c : order == Order::zzyx ? zzyx(c) : indices.of[c]], share, t[c]);
}

template <Order order>
__global__ void __launch_bounds__(block_threads, 2) tuple_kernel(Indices indices, float* result, BlockTime* times) {
  float t[4], u[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    t[c] = start_of<float>(static_cast<int>(threadIdx.x), c);
    u[c] = start_of<float>(static_cast<int>(threadIdx.x), c + 4);
  }
  const BlockClock clock;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < entries / 2; ++i) {
      take<order>(t, u, indices);
      take<order>(u, t, indices);
    }
  }
  // All components are stored, also u.w, which zzyx never reads.
#pragma unroll
  for (int c = 0; c < 8; ++c)
    result[(std::int64_t{blockIdx.x} * 8 + c) * block_threads + threadIdx.x] = c < 4 ? t[c] : u[c - 4];
  clock.stop(times);
}

struct Tuples {
  std::string_view name;
  void (*kernel)(Indices indices, float* result, BlockTime* times);
  void (*take)(float (&t)[4], const float (&u)[4], const Indices& indices);
};
template <Order order>
constexpr Tuples tuples_of(std::string_view name) {
  return {name, tuple_kernel<order>, take<order>};
}
constexpr std::array tuple_orders{tuples_of<Order::plain>(operand::in_order), tuples_of<Order::zzyx>(operand::swizzled),
                                  tuples_of<Order::indexed>(operand::indexed)};

Point measure(Session& session, const Tuples& tuples) {
  Backend& backend = session.backend();
  const int blocks = 2 * multiprocessors();
  const Indices indices{{zzyx(0), zzyx(1), zzyx(2), zzyx(3)}};
  const Array<float> result(backend, std::int64_t{blocks} * block_threads * 8);
  const Array<BlockTime> times(backend, blocks);
  spoil(backend, result);
  const cudaStream_t stream = stream_of(backend);
  const Timing seconds = session.time([&] {
    tuples.kernel<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(indices, result.data(), times.data());
    cuda::launched(stream);
  });
  std::vector<float> expected(8 * 64);
  for (int thread = 0; thread < 64; ++thread) {
    float t[4], u[4];
    for (int c = 0; c < 4; ++c) {
      t[c] = start_of<float>(thread, c);
      u[c] = start_of<float>(thread, c + 4);
    }
    for (int step = 0; step < rounds * entries / 2; ++step) {
      tuples.take(t, u, indices);
      tuples.take(u, t, indices);
    }
    for (int c = 0; c < 8; ++c) expected[static_cast<std::size_t>(c * 64 + thread)] = c < 4 ? t[c] : u[c - 4];
  }
  const std::vector<float> ends = result.host();
  bool right = true;
  for (std::size_t i = 0; i < ends.size(); ++i)
    right = right && close(ends[i], expected[i / block_threads % 8 * 64 + i % 64]);
  session.check(right, "arithmetic", tuples.name, "a tuple ends elsewhere than on the host");
  const double results = double{block_threads} * 4 * rounds * entries;
  return {std::string(tuples.name), 0, seconds, results_per_clock(times.host(), results)};
}

// Threads pass their words to the thread one warp further on, or to themselves: s'[t] = 3 s[from(t)] + step.
constexpr int steps = 512;
template <bool barrier>
__global__ void exchange_kernel(std::uint32_t* result, long long* clocks) {
  __shared__ std::uint32_t words[2][1024];
  const unsigned t = threadIdx.x, from = barrier ? (t + 32) % blockDim.x : t;
  words[0][t] = noise(t);
  __syncthreads();
  const long long start = clock64();
#pragma unroll 2
  for (int step = 0; step < steps; ++step) {
    const volatile std::uint32_t* const read = words[step % 2];
    volatile std::uint32_t* const write = words[(step + 1) % 2];
    write[t] = 3 * read[from] + static_cast<unsigned>(step);
    if constexpr (barrier) __syncthreads();
  }
  if (t == 0) clocks[blockIdx.x] = clock64() - start;
  result[std::int64_t{blockIdx.x} * blockDim.x + t] = words[steps % 2][t];
}

std::uint32_t exchanged(unsigned thread, unsigned threads, bool barrier) {
  // Find the origin of the word first, then apply the steps to it.
  std::uint32_t word = noise(barrier ? (thread + 32u * steps) % threads : thread);
  for (int step = 0; step < steps; ++step) word = 3 * word + static_cast<unsigned>(step);
  return word;
}

void add_exchanges(Session& session, bool barrier, Panel& panel) {
  Backend& backend = session.backend();
  const int blocks = multiprocessors();
  const std::string name = barrier ? "with __syncthreads" : "without";
  for (const int warps : session.quick() ? std::vector{1, 8, 32} : std::vector{1, 2, 4, 8, 16, 32}) {
    const int threads = 32 * warps;
    const Array<std::uint32_t> result(backend, std::int64_t{blocks} * threads);
    const Array<long long> clocks(backend, blocks);
    spoil(backend, result);
    const cudaStream_t stream = stream_of(backend);
    const Timing seconds = session.time([&] {
      const auto kernel = barrier ? exchange_kernel<true> : exchange_kernel<false>;
      kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(result.data(),
                                                                                           clocks.data());
      cuda::launched(stream);
    });
    const auto oracle = [&](std::int64_t i) {
      return exchanged(static_cast<unsigned>(i % threads), static_cast<unsigned>(threads), barrier);
    };
    session.check(mismatches_on_host(result, oracle) == 0, "arithmetic", name, "words differ");
    panel.points.push_back({name, static_cast<double>(warps), seconds, median_clocks(clocks.host()) / steps});
  }
}

}  // namespace

Panels run_operands(Session& session) {
  Panel operands{"operands", "Where operands come from, fp32", "", per_clock};
  for (const Operands<float>& single : singles) operands.points.push_back(measure(session, single));
  for (const Tuples& tuples : tuple_orders) operands.points.push_back(measure(session, tuples));
  Panel in_double{"doubles", "fp64 arithmetic", "", per_clock};
  for (const Operands<double>& operation : doubled) in_double.points.push_back(measure(session, operation));
  Panel barrier{"barrier", "A word from thread to thread by way of shared memory", "warps per block", "clocks per step",
                true};
  for (const bool with : {false, true}) add_exchanges(session, with, barrier);
  return {operands, in_double, barrier};
}

}  // namespace poisson::lab
