#include <algorithm>
#include <cstdint>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/words.cuh"
#include "backends/memory/round_up.hpp"
#include "backends/utilities/cuda/functions.hpp"
#include "backends/utilities/reduction_terms.hpp"

namespace poisson::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int resident = 4;  // minimum blocks per multiprocessor

// Words that a thread loads together: about 128 bytes per thread, 128 KiB per multiprocessor. Words of four values have
// a smaller depth, because their conversions to double need the registers.
template <class Terms, int n>
constexpr int depth = (n == 4 ? 6 : 8) / (Terms::pairs ? 2 : 1);

// Describes x (and y) from a word boundary on: `words` words of n values, with `head` single values before them and
// `tail` after them.
template <class T>
struct Operands {
  const T *x, *y;
  std::int64_t words;
  int head, tail;
};

template <class Terms, int n, class T>
__device__ double with_words(double result, const Pack<T, n>& x, const Pack<T, n>& y) {
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if constexpr (Terms::pairs)
      result = Terms::combine(result, Terms::term(static_cast<double>(x.value[i]), static_cast<double>(y.value[i])));
    else
      result = Terms::combine(result, Terms::term(static_cast<double>(x.value[i])));
  }
  return result;
}

// Reduces the values of one thread: all words whose number modulo the number of threads is the thread's.
template <class Terms, int n, class T>
__device__ double of_thread(const Operands<T>& all) {
  constexpr int m = depth<Terms, n>;
  const std::int64_t first = std::int64_t{blockIdx.x} * threads + threadIdx.x,
                     stride = std::int64_t{gridDim.x} * threads;
  const auto load = [&](Pack<T, n>& x, Pack<T, n>& y, std::int64_t word) {
    x = load_word<n>(all.x + word * n);
    if constexpr (Terms::pairs) y = load_word<n>(all.y + word * n);
  };
  double partial[m] = {};
  Pack<T, n> x[m], y[m];
  std::int64_t word = first;
  for (; word + (m - 1) * stride < all.words; word += m * stride) {
#pragma unroll
    for (int u = 0; u < m; ++u) load(x[u], y[u], word + u * stride);
#pragma unroll
    for (int u = 0; u < m; ++u) partial[u] = with_words<Terms>(partial[u], x[u], y[u]);
  }
#pragma unroll
  for (int u = 0; u < m; ++u)
    if (word + u * stride < all.words) load(x[u], y[u], word + u * stride);
#pragma unroll
  for (int u = 0; u < m; ++u)
    if (word + u * stride < all.words) partial[u] = with_words<Terms>(partial[u], x[u], y[u]);

  const auto single = [&](std::int64_t i) {
    Pack<T, 1> a{all.x[i]}, b{};
    if constexpr (Terms::pairs) b.value[0] = all.y[i];
    partial[0] = with_words<Terms>(partial[0], a, b);
  };
  if (first < all.head) single(first - all.head);
  if (first < all.tail) single(all.words * n + first);
#pragma unroll
  for (int u = 1; u < m; ++u) partial[0] = Terms::combine(partial[0], partial[u]);
  return partial[0];
}

// Combines the partial results of a block's threads; thread 0 gets the result. May be called again after a barrier.
template <class Terms>
__device__ double of_block(double partial) {
  __shared__ double of_warp[warps];
  for (int offset = 16; offset > 0; offset /= 2)
    partial = Terms::combine(partial, __shfl_down_sync(0xffffffffu, partial, offset));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = partial;
  __syncthreads();
  if (threadIdx.x < 32) {
    partial = threadIdx.x < warps ? of_warp[threadIdx.x] : 0;
    for (int offset = warps / 2; offset > 0; offset /= 2)
      partial = Terms::combine(partial, __shfl_down_sync(0xffffffffu, partial, offset));
  }
  return partial;
}

// Every block stores its partial result. The block that arrives last combines all of them in the order of the blocks,
// whichever block it is, and resets the count for the next reduction.
template <class Terms, int n, class T>
__global__ void __launch_bounds__(threads, resident)
    reduce_kernel(Operands<T> all, double* partials, unsigned* arrived, double* result) {
  double partial = of_block<Terms>(of_thread<Terms, n>(all));
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __stcg(partials + blockIdx.x, partial);
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  partial = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) partial = Terms::combine(partial, __ldcg(partials + i));
  partial = of_block<Terms>(partial);
  if (threadIdx.x == 0) *result = partial;
}

// Each thread gets one word as long as that does not fill the device. Beyond that, threads get more words. Only if all
// threads have several rounds are there more blocks than the device can run together, so that fast multiprocessors can
// run additional ones.
unsigned blocks_for(std::int64_t words, int depth) {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  constexpr std::int64_t rounds = 4, trig = 5;
  const std::int64_t full = std::int64_t{resident} * multiprocessors;
  const std::int64_t most = std::min<std::int64_t>(trig * full, ReductionRoom::most_partials);
  const std::int64_t of_one_word = divide_up(words, threads), busy = words / (rounds * depth * threads);
  return static_cast<unsigned>(
      std::clamp(std::min(of_one_word, std::clamp(busy, std::min(full, most), most)), std::int64_t{1}, most));
}

template <class Terms, int n, class T>
void launch(cudaStream_t stream, const T* x, const T* y, std::int64_t count, const ReductionRoom& room,
            double* result) {
  constexpr std::uintptr_t word = n * sizeof(T);
  const auto behind = reinterpret_cast<std::uintptr_t>(x) % word;
  const std::int64_t head = std::min<std::int64_t>(behind == 0 ? 0 : (word - behind) / sizeof(T), count);
  const std::int64_t words = (count - head) / n;
  const Operands<T> all{x + head, Terms::pairs ? y + head : nullptr, words, static_cast<int>(head),
                        static_cast<int>(count - head - words * n)};
  reduce_kernel<Terms, n>
      <<<blocks_for(words, depth<Terms, n>), threads, 0, stream>>>(all, room.partials(), room.arrived(), result);
  launched(stream);
}

}  // namespace

void reduce(Backend& backend, Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result) {
  const cudaStream_t stream = static_cast<CudaBackend&>(backend).stream();
  reduction::dispatch(kind, [&]<class Terms>(Terms) {
    poisson::dispatch(x.precision, [&]<class T>(T) {
      constexpr int n = 16 / sizeof(T);
      const auto *a = static_cast<const T*>(x.data), *b = static_cast<const T*>(y.data);
      // Two operands with different alignments to 16 bytes can only be read value by value.
      if constexpr (Terms::pairs)
        if ((reinterpret_cast<std::uintptr_t>(a) - reinterpret_cast<std::uintptr_t>(b)) % 16 != 0)
          return launch<Terms, 1>(stream, a, b, x.count, room, result.address());
      launch<Terms, n>(stream, a, b, x.count, room, result.address());
    });
  });
}

}  // namespace poisson::cuda
