#pragma once

#include <algorithm>

#include "backends/cuda/inverse.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/memory/round_up.hpp"
#include "backends/transforms/line_tile.hpp"

/// Transforms tiles of lines in the shared memory of GPU blocks.
namespace poisson::cuda {

/// Locates the lines of a box in the fields that values are read from and written to. Line l of slice s begins l·across
/// + s·slow values after the first value of the box. `lead`: this many lines before the first one are counted, so that
/// pairs of adjacent values begin at even addresses.
template <class T>
struct LinesOf {
  const T* from;
  T* to;
  std::uint32_t along;
  std::int64_t across, slow;
  int lead, lines;
};

/// Selects how results are stored. `field`: they replace the values. `sum`: they are added to the values times a
/// factor. `field_and_back`: the coefficients are divided and transformed back.
enum class TrigEnd { field, sum, field_and_back };
template <class T>
struct Ending {
  const double* factor;            ///< for TrigEnd::sum
  const T *own, *others, *slices;  ///< eigenvalues along a line, by line, by slice; null if zero
};

/// Describes how a block works: its threads, the blocks per multiprocessor, and for how many pieces of work a thread
/// issues loads together (`ahead`). If `fetches` is set, the block prefetches the tile of the block that will follow
/// it, so that memory is busy while it computes.
template <int threads_, int blocks_, int ahead_, bool fetches_>
struct TrigBlock {
  static constexpr int threads = threads_, blocks = blocks_, ahead = ahead_;
  static constexpr bool fetches = fetches_;
};

template <class T, bool contiguous>
struct SharedLine {
  Complex<T>* numbers;
  TileShape shape;
  int pair;
  __device__ int at(int row) const { return TileShape{shape.log_pairs, contiguous}.at(row, pair); }
  __device__ Complex<T> get(int row) const { return numbers[at(row)]; }
  __device__ void set(int row, Complex<T> value) const { numbers[at(row)] = value; }
};

/// Locates two lines of a slice in a field, for the reads and writes of one thread. A missing line is read at a valid
/// address, so that no load waits for a branch. Adjacent lines are accessed together. They may include values next to
/// the box, in the halo or the padding, which count as zero.
template <class T, bool contiguous>
class LinePair {
 public:
  __device__ LinePair(const LinesOf<T>& lines, int line, int slice)
      : has_first_(line >= 0 && line < lines.lines),
        has_second_(line + 1 >= 0 && line + 1 < lines.lines),
        along_(lines.along) {
    if (contiguous) {
      first_ = slice * lines.slow + (has_first_ ? line : 0) * lines.across;
      second_ = has_second_ ? first_ + lines.across : first_;
    } else {
      first_ = slice * lines.slow + (has_first_ || has_second_ ? line : -lines.lead);
      second_ = first_ + 1;
    }
  }
  __device__ bool has_first() const { return has_first_; }
  __device__ bool has_second() const { return has_second_; }
  __device__ Complex<T> get(const T* field, int i) const {
    const T *const first = field + first_, *const second = field + second_;
    if (contiguous) return {first[offset(i)], second[offset(i)]};
    const Complex<T> both = *reinterpret_cast<const Complex<T>*>(first + offset(i));
    return {has_first_ ? both.re : T(0), has_second_ ? both.im : T(0)};
  }
  __device__ void set(T* field, int i, Complex<T> value) const {
    T *const first = field + first_, *const second = field + second_;
    if (contiguous) {
      if (has_first_) first[offset(i)] = value.re;
      if (has_second_) second[offset(i)] = value.im;
    } else {
      if (has_first_ && has_second_) *reinterpret_cast<Complex<T>*>(first + offset(i)) = value;
      if (has_first_ != has_second_) (has_first_ ? first : second)[offset(i)] = has_first_ ? value.re : value.im;
    }
  }

 private:
  __device__ std::uint64_t offset(int i) const { return std::uint64_t{along_} * static_cast<std::uint32_t>(i); }

  std::int64_t first_, second_;
  bool has_first_, has_second_;
  std::uint32_t along_;
};

/// Prefetches the lines of a slice from number `first` on into the L2 cache, 32 bytes at a time.
template <class T, bool contiguous>
__device__ void fetch_tile(const LinesOf<T>& lines, const T* data, int values, int first, int width, int slice,
                           int threads) {
  constexpr int at_a_time = 32 / sizeof(T);
  const auto fetch = [](const T* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); };
  const T* const at = data + slice * lines.slow;
  const int thread = static_cast<int>(threadIdx.x), end = min(first + width, lines.lines);
  if (contiguous) {
    for (int line = first + thread / 32; line < end; line += threads / 32)
      for (int i = thread % 32 * at_a_time; i < values; i += 32 * at_a_time) fetch(at + line * lines.across + i);
  } else {
    constexpr int of_row = 128 / 32;
    const int across = first + thread % of_row * at_a_time;
    if (across >= end) return;
    for (int i = thread / of_row; i < values; i += threads / of_row)
      fetch(at + across + std::uint64_t{lines.along} * static_cast<std::uint32_t>(i));
  }
}

/// Transforms a tile of neighbouring lines of a slice per block. For `field_and_back` the tile is written and read
/// again from the L2 cache, which has space for the tiles of all running blocks. Threads share the pairs so that
/// neighbouring threads access neighbouring values in memory: of a row, or of a line for lines along x. `resident`:
/// blocks that run on the device together.
template <class T, bool contiguous, TrigEnd end, class Block>
__global__ void __launch_bounds__(Block::threads, Block::blocks)
    trig_kernel(const __grid_constant__ TrigView<T> trig, LinesOf<T> lines, Ending<T> ending, TileShape shape,
                bool begins_forward, int resident) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(memory);
  await_others();
  const int thread = static_cast<int>(threadIdx.x), slice = static_cast<int>(blockIdx.y);
  const TileThread passing = passing_thread(shape, thread, Block::threads);
  const TileThread mover = moving_thread(shape, thread, Block::threads, contiguous);
  const Team moving = mover.team;
  const SharedLine<T, contiguous> passed{numbers, shape, passing.pair}, moved{numbers, shape, mover.pair};
  const int width = 2 * shape.pairs(), of_block = static_cast<int>(blockIdx.x) * width - lines.lead;
  const int line = of_block + 2 * mover.pair;
  const LinePair<T, contiguous> pair(lines, line, slice);
  if (end == TrigEnd::sum && Block::fetches)
    fetch_tile<T, contiguous>(lines, lines.to, trig.values(), of_block, width, slice, Block::threads);

  bool forward = end == TrigEnd::field_and_back || (end == TrigEnd::field && begins_forward);
#pragma unroll 1
  for (;; forward = false) {
    with_kind(trig.kind, [&]<TrigKind kind>() {
      const T* const from = end == TrigEnd::field_and_back && !forward ? lines.to : lines.from;
      const auto in = [&](int i) { return pair.get(from, i); };
      if (forward) {
        each_piece<Block::ahead>(trig.n, moving, [&](auto k) { begin_forward<kind>(trig, moved, k, in); });
      } else {
        TrigSum<T> sum;
        each_piece<Block::ahead>(trig.n, moving, [&](auto k) { begin_backward<kind>(trig, moved, k, in, sum); });
        if (kind == TrigKind::cosines) {  // all threads of a pair contribute; the sums follow the rows
          Complex<T>* const sums = numbers + shape.numbers(trig.rows());
          sums[(moving.first << shape.log_pairs) + moved.pair] = sum.value;
          __syncthreads();
          if (moving.first == 0) {
            for (int other = 1; other < moving.step; ++other)
              sum.value = sum.value + sums[(other << shape.log_pairs) + moved.pair];
            moved.set(trig.n, sum.value);
          }
        }
      }
    });
    for (int pass = 0; pass < trig.passes; ++pass) {
      __syncthreads();
      fourier_pass(trig.pass[pass], passed, trig.roots, passing.team);
    }
    __syncthreads();

    const bool divides = end == TrigEnd::field_and_back && forward;
    if (Block::fetches && !divides) {
      const std::int64_t next = std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x + resident;
      if (next < std::int64_t{gridDim.y} * gridDim.x) {
        const auto of_next = static_cast<unsigned>(next);
        fetch_tile<T, contiguous>(lines, lines.from, trig.values(),
                                  static_cast<int>(of_next % gridDim.x) * width - lines.lead, width,
                                  static_cast<int>(of_next / gridDim.x), Block::threads);
      }
    }
    Complex<T> others{};
    if (divides) {
      const T of_slice = ending.slices ? ending.slices[slice] : T(0);
      others.re = of_slice + (pair.has_first() && ending.others ? ending.others[line] : T(0));
      others.im = of_slice + (pair.has_second() && ending.others ? ending.others[line + 1] : T(0));
    }
    const T factor = end == TrigEnd::sum ? static_cast<T>(*ending.factor) : T(1);
    const Table<T> eigenvalues{ending.own};
    const auto out = [&](int i, Complex<T> value) {
      if (divides) {
        const T own = eigenvalues[i];
        value = {value.re * inverse_of(own + others.re), value.im * inverse_of(own + others.im)};
      }
      if (end == TrigEnd::sum) value = pair.get(lines.to, i) + scaled(factor, value);
      pair.set(lines.to, i, value);
    };
    with_kind(trig.kind, [&]<TrigKind kind>() {
      if (forward)
        each_piece<2>(trig.n, moving, [&](auto k) { end_forward<kind>(trig, moved, k, out); });
      else
        each_piece<2>(trig.n, moving, [&](auto k) { end_backward<kind>(trig, moved, k, out); });
    });
    if (!divides) return;
    __syncthreads();  // all coefficients are written before they are read
  }
}

template <class T, bool contiguous, TrigEnd end, class Block>
void launch_trig(cudaStream_t stream, const TrigView<T>& trig, const LinesOf<T>& lines, const Ending<T>& ending,
                 TileShape shape, bool forward, int slices) {
  const auto kernel = trig_kernel<T, contiguous, end, Block>;
  const auto numbers = shape.numbers(trig.rows()) + (trig.kind == TrigKind::cosines ? Block::threads : 0);
  // This is the most that such a block ever needs: a recorded launch must not depend on later launches.
  const std::size_t most = (Block::blocks == 1 ? whole_tile : shared_tile) + Block::threads * sizeof(Complex<T>);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int width = 2 * shape.pairs();
  const auto tiles = static_cast<unsigned>(divide_up(lines.lead + lines.lines, width));
  constexpr int at_once = most_blocks_across;
  for (int first = 0; first < slices; first += at_once) {
    LinesOf<T> some = lines;
    some.from += first * lines.slow;
    some.to += first * lines.slow;
    Ending<T> ended = ending;
    if (ended.slices) ended.slices += first;
    kernel<<<dim3(tiles, static_cast<unsigned>(std::min(at_once, slices - first))), Block::threads,
             static_cast<std::size_t>(numbers) * sizeof(Complex<T>), stream>>>(trig, some, ended, shape, forward,
                                                                               multiprocessors * Block::blocks);
    launched(stream);
  }
}

}  // namespace poisson::cuda
