#include "backends/cuda/inverse.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/transform_lines.hpp"
#include "backends/waves/line_tile.hpp"

namespace poisson::cuda {
namespace {

// The lines of a box: line l of slice s begins at data + l·across + s·slow. `lead`: so many lines before the first are
// counted, too, so that pairs of values beside each other begin on even addresses.
template <class T>
struct LinesOf {
  T* data;
  std::int64_t along, across, slow;
  int lead, lines;
};

// What becomes of a value on its way out.
template <class T>
struct Ending {
  T* sum;                          ///< data of the lines that it is added to, or null
  const double* factor;            ///< of that
  const T *own, *others, *slices;  ///< eigenvalues, of a line's values, of lines, of slices; null: zero
};

template <class T>
struct SharedLine {
  Complex<T>* rows;
  TileShape shape;
  int pair;
  __device__ Complex<T> get(int row) const { return rows[shape.at(row, pair)]; }
  __device__ void set(int row, Complex<T> value) const { rows[shape.at(row, pair)] = value; }
};

// Two lines of a slice, as a thread reads and writes them. Those beside each other go together.
template <class T, bool contiguous>
struct LinePair {
  T* first;
  std::int64_t along, across;
  bool has_first, has_second;

  __device__ LinePair(const LinesOf<T>& lines, T* data, int line, int slice)
      : first(data + line * lines.across + slice * lines.slow),
        along(lines.along),
        across(lines.across),
        has_first(line >= 0 && line < lines.lines),
        has_second(line + 1 >= 0 && line + 1 < lines.lines) {}
  __device__ Complex<T> get(int i) const {
    const T* const at = first + i * along;
    if (!contiguous && has_first && has_second) return *reinterpret_cast<const Complex<T>*>(at);
    return {has_first ? at[0] : T(0), has_second ? at[across] : T(0)};
  }
  __device__ void set(int i, Complex<T> value) const {
    T* const at = first + i * along;
    if (!contiguous && has_first && has_second) {
      *reinterpret_cast<Complex<T>*>(at) = value;
      return;
    }
    if (has_first) at[0] = value.re;
    if (has_second) at[across] = value.im;
  }
};

// A block has a tile of neighbouring lines of a slice; there and back it is written and read again, from the cache of
// the device, which holds the tiles of all blocks that run. Threads that read and write memory share the pairs so that
// neighbours have neighbouring values: those of a row, of lines along x those of a line.
template <class T, bool contiguous, bool twice, int threads, int blocks>
__global__ void __launch_bounds__(threads, blocks)
    waves_kernel(const __grid_constant__ WaveView<T> waves, LinesOf<T> lines, Ending<T> ending, TileShape shape,
                 bool forward) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const rows = reinterpret_cast<Complex<T>*>(memory);
  await_others();
  const int thread = static_cast<int>(threadIdx.x), slice = static_cast<int>(blockIdx.y);
  const TileThread passing = passing_thread(shape, thread, threads);
  const TileThread mover = moving_thread(shape, thread, threads, contiguous);
  const Team moving = mover.team;
  const SharedLine<T> passed{rows, shape, passing.pair}, moved{rows, shape, mover.pair};
  const int line = (static_cast<int>(blockIdx.x) * shape.pairs() + mover.pair) * 2 - lines.lead;
  const LinePair<T, contiguous> pair(lines, lines.data, line, slice);

#pragma unroll 1
  for (;; forward = false) {
    with_kind(waves.kind, [&]<WaveKind kind>() {
      const auto in = [&](int i) { return pair.get(i); };
      if (forward) {
#pragma unroll 2
        for (int k = moving.first; k < waves.pieces(); k += moving.step) begin_forward<kind>(waves, moved, k, in);
      } else {
        WaveSum<T> sum;
#pragma unroll 2
        for (int k = moving.first; k < waves.pieces(); k += moving.step) begin_backward<kind>(waves, moved, k, in, sum);
        if (kind == WaveKind::cosines) {  // the sum over all threads that share a pair, behind the rows
          Complex<T>* const sums = rows + (waves.rows() << shape.log_pairs);
          sums[(moving.first << shape.log_pairs) + moved.pair] = sum.value;
          __syncthreads();
          if (moving.first == 0) {
            for (int other = 1; other < moving.step; ++other)
              sum.value = sum.value + sums[(other << shape.log_pairs) + moved.pair];
            moved.set(waves.n, sum.value);
          }
        }
      }
    });
    for (int pass = 0, length = waves.n; pass < waves.passes; length /= waves.radix[pass++]) {
      __syncthreads();
      fourier_pass(waves.radix[pass], passed, waves.n, length, waves.roots, passing.team);
    }
    __syncthreads();

    const bool divides = twice && forward, adds = ending.sum && !divides;
    Complex<T> others{};
    if (divides) {
      const T of_slice = ending.slices ? ending.slices[slice] : T(0);
      others.re = of_slice + (pair.has_first && ending.others ? ending.others[line] : T(0));
      others.im = of_slice + (pair.has_second && ending.others ? ending.others[line + 1] : T(0));
    }
    const T factor = adds ? static_cast<T>(*ending.factor) : T(1);
    const LinePair<T, contiguous> target(lines, adds ? ending.sum : lines.data, line, slice);
    const auto out = [&](int i, Complex<T> value) {
      if (divides) {
        const T own = ending.own[i];
        value = {value.re * inverse_of(own + others.re), value.im * inverse_of(own + others.im)};
      }
      if (adds) value = target.get(i) + scaled(factor, value);
      target.set(i, value);
    };
    with_kind(waves.kind, [&]<WaveKind kind>() {
      if (forward)
        for (int k = moving.first; k < waves.pieces(); k += moving.step) end_forward<kind>(waves, moved, k, out);
      else
        for (int k = moving.first; k < waves.pieces(); k += moving.step) end_backward<kind>(waves, moved, k, out);
    });
    if (!divides) return;
    __syncthreads();  // what all have written comes back
  }
}

template <class T, bool contiguous, bool twice, int threads, int blocks>
void launch_waves(cudaStream_t stream, const WaveView<T>& waves, const LinesOf<T>& lines, const Ending<T>& ending,
                  TileShape shape, bool forward, int slices) {
  const auto kernel = waves_kernel<T, contiguous, twice, threads, blocks>;
  const std::size_t in_all =
      (static_cast<std::size_t>(waves.rows()) << shape.log_pairs) + (waves.kind == WaveKind::cosines ? threads : 0);
  const std::size_t bytes = in_all * sizeof(Complex<T>);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  const int width = 2 * shape.pairs();
  const dim3 grid(static_cast<unsigned>((lines.lead + lines.lines + width - 1) / width), static_cast<unsigned>(slices));
  kernel<<<grid, threads, bytes, stream>>>(waves, lines, ending, shape, forward);
  launched(stream);
}

}  // namespace

template <class T>
void transform_lines(cudaStream_t stream, const WaveView<T>& waves, int axis, WavePath path, const View<T>& values,
                     const Box& box, const WaveTarget& target, const std::array<const T*, 3>& eigenvalues) {
  const auto d = static_cast<std::size_t>(axis);
  const std::size_t fast = d == 0 ? 1 : 0, slow = d == 2 ? 1 : 2;
  const std::array<std::int64_t, 3> stride{1, values.sy, values.sz};
  const auto extent = [&](std::size_t e) { return box.last[e] - box.first[e]; };
  const auto origin = [&](const View<T>& v) { return &v(box.first[0], box.first[1], box.first[2]); };
  const bool contiguous = d == 0;
  const TileShape shape = tile_shape(waves.rows(), sizeof(Complex<T>), contiguous, extent(fast));
  const LinesOf<T> lines{
      origin(values), stride[d], stride[fast], stride[slow], contiguous ? 0 : box.first[0] % (2 * shape.pairs()),
      extent(fast)};
  const Ending<T> ending{target.sum ? origin(target.sum->template view<T>()) : nullptr,
                         target.factor ? target.factor->address() : nullptr, eigenvalues[d], eigenvalues[fast],
                         eigenvalues[slow]};
  const bool small = (static_cast<std::size_t>(waves.rows()) << shape.log_pairs) * sizeof(Complex<T>) <= shared_tile;
  const bool forward = path != WavePath::back;
  const auto launch_by = [&]<bool along_x, bool twice>() {
    if (small)
      launch_waves<T, along_x, twice, threads_of_shared, 3>(stream, waves, lines, ending, shape, forward, extent(slow));
    else
      launch_waves<T, along_x, twice, threads_of_whole, 1>(stream, waves, lines, ending, shape, forward, extent(slow));
  };
  if (contiguous && path == WavePath::there_and_back)
    launch_by.template operator()<true, true>();
  else if (contiguous)
    launch_by.template operator()<true, false>();
  else if (path == WavePath::there_and_back)
    launch_by.template operator()<false, true>();
  else
    launch_by.template operator()<false, false>();
}

template void transform_lines(cudaStream_t, const WaveView<float>&, int, WavePath, const View<float>&, const Box&,
                              const WaveTarget&, const std::array<const float*, 3>&);
template void transform_lines(cudaStream_t, const WaveView<double>&, int, WavePath, const View<double>&, const Box&,
                              const WaveTarget&, const std::array<const double*, 3>&);

}  // namespace poisson::cuda
