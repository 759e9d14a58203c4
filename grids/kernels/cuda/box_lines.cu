#include <type_traits>

#include "backends/cuda/launch.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/box_lines.hpp"

/// Both colours of a line are relaxed in one launch. A launch for one colour would use every second value of the bands,
/// but memory would deliver both. Therefore a thread processes the pair of values 2s and 2s + 1, and sums the couplings
/// of both to other lines together. The couplings along x come last in a row's sum and need the values of the first
/// colour, which the threads of a block exchange in shared memory. A block processes complete lines, because no other
/// block may change the values that it reads.
namespace poisson::cuda {
namespace {

template <class T>
using PairOf = std::conditional_t<sizeof(T) == 4, float2, double2>;

/// `LineBlocks` distributes lines to blocks: several lines to each block, or one line that a block processes in pieces.
struct LineBlocks {
  int threads, pairs, lines, pieces;

  static constexpr int most_threads = 288, fewest_threads = 128;

  explicit LineBlocks(int of_pairs) : threads(0), pairs(of_pairs), lines(1), pieces(1) {
    if (pairs > most_threads) {
      pieces = divide_up(pairs, most_threads);
      threads = round_up(divide_up(pairs, pieces), 32);
      return;
    }
    const auto busy = [&](int n) { return static_cast<double>(n / pairs * pairs) / n; };
    for (int n = fewest_threads; n <= most_threads; n += 32)
      if (n >= pairs && (threads == 0 || busy(n) > busy(threads))) threads = n;
    lines = threads / pairs;
  }
};

template <class T>
__device__ void load_pair(const T* p, T& first, T& second) {
  const auto both = *reinterpret_cast<const PairOf<T>*>(p);
  first = both.x;
  second = both.y;
}

/// `RowPair` contains the rows of values i (even) and i + 1.
template <class T, int dimension>
struct RowPair {
  static constexpr int centre = box_centre<dimension>, lines = box_points<dimension> / 3;
  T sum[2], diagonal[2];                          // the couplings along the line are added later
  T before[centre - 1][2], after[centre - 1][2];  // couplings to neighbour m and to the opposite one
  T coupling[3];                                  // along the line
  T u[4];                                         // i − 1 … i + 2
  T b[2];

  static __device__ std::int64_t line_at(int neighbour, std::int64_t sy, std::int64_t sz) {
    return box_offset(neighbour, 1) * sy + (dimension == 3 ? box_offset(neighbour, 2) * sz : 0);
  }
  __device__ void load_bands(const BoxLines<T, dimension>& rows, int i, int j, int k) {
    const auto& c = rows.c.bands;
    const std::int64_t at = i + j * c.shape.sy + k * c.shape.sz;
    load_pair(c.band[0] + at, diagonal[0], diagonal[1]);
    unrolled<0, centre - 1>([&](auto n) {
      constexpr int m = decltype(n)::value, dx = box_offset(m, 0);
      const T* const forward = c.band[centre - m] + at;
      const T* const backward = forward + line_at(m, c.shape.sy, c.shape.sz);
      load_pair(forward, after[m][0], after[m][1]);
      if constexpr (dx == 0)
        load_pair(backward, before[m][0], before[m][1]);
      else
        for (int v = 0; v < 2; ++v) before[m][v] = backward[v + dx];
    });
    coupling[0] = c.band[1][at - 1];
    load_pair(c.band[1] + at, coupling[1], coupling[2]);
  }
  /// Loads u and b and adds the sums, which are rounded as in BoxRow.
  __device__ void load_values(const BoxLines<T, dimension>& rows, int i, int j, int k) {
    load_pair(&rows.b(i, j, k), b[0], b[1]);
    const T* const p = &rows.u(i, j, k);
    T around[lines][4];
    unrolled<0, lines>([&](auto n) {
      constexpr int line = decltype(n)::value;
      const T* const q = p + line_at(3 * line, rows.u.sy, rows.u.sz);
      T* const values = around[line];
      values[0] = q[-1];
      load_pair(q, values[1], values[2]);
      values[3] = q[2];
    });
    for (int v = 0; v < 4; ++v) u[v] = around[lines / 2][v];
    unrolled<0, centre - 1>([&](auto n) {
      constexpr int m = decltype(n)::value, opposite = box_points<dimension> - 1 - m, dx = box_offset(m, 0);
      for (int v = 0; v < 2; ++v) {
        const T here = u[1 + v];
        const T both = sum_of_products(before[m][v], here - around[m / 3][1 + v + dx], after[m][v],
                                       here - around[opposite / 3][1 + v - dx]);
        sum[v] = m == 0 ? fma(diagonal[v], here, both) : sum[v] + both;
        diagonal[v] += before[m][v] + after[m][v];
      }
    });
    for (int v = 0; v < 2; ++v) diagonal[v] += coupling[v] + coupling[v + 1];
  }
  /// Relaxes the first colour and returns its value.
  __device__ T relax_first(const bool (&known)[2], const BoxLines<T, dimension>& rows) {
    return rows.reversed ? relax<1>(known[1], rows.omega) : relax<0>(known[0], rows.omega);
  }
  __device__ void relax_second(const bool (&known)[2], const BoxLines<T, dimension>& rows) {
    rows.reversed ? relax<0>(known[0], rows.omega) : relax<1>(known[1], rows.omega);
  }
  __device__ void store(const bool (&known)[2], T* to) const {
    if (known[0] && known[1]) {
      PairOf<T> both;
      both.x = u[1];
      both.y = u[2];
      *reinterpret_cast<PairOf<T>*>(to) = both;
    } else {
      if (known[0]) to[0] = u[1];
      if (known[1]) to[1] = u[2];
    }
  }

 private:
  template <int v>
  __device__ T relax(bool known, T omega) {
    const T here = u[1 + v];
    const T Au = sum[v] + sum_of_products(coupling[v], here - u[v], coupling[v + 1], here - u[v + 2]);
    if (known) u[1 + v] = fma(omega * stencil::reciprocal(diagonal[v]), b[v] - Au, here);
    return u[1 + v];
  }
};

template <class T, int dimension>
__global__ void __launch_bounds__(LineBlocks::most_threads, 2)
    lines_kernel(BoxLines<T, dimension> rows, LineSet set, LineBlocks blocks) {
  __shared__ T made[2][LineBlocks::most_threads];
  await_others();
  const int t = static_cast<int>(threadIdx.x), row = blocks.lines == 1 ? 0 : t / blocks.pairs;
  const int line = static_cast<int>(blockIdx.x) * blocks.lines + row;
  const bool has_line = row < blocks.lines && line < set.count[0] * set.count[1];
  const int j = set.first[0] + 2 * (line % set.count[0]), k = set.first[1] + 2 * (line / set.count[0]);
  // A pair needs values of its piece or of a piece processed earlier. A line in pieces therefore begins with its last
  // piece, unless the sweep is reversed.
  for (int turn = 0; turn < blocks.pieces; ++turn) {
    const int piece = rows.reversed ? turn : blocks.pieces - 1 - turn;
    const int s = blocks.lines == 1 ? piece * blocks.threads + t : t - row * blocks.pairs;
    const int i = (rows.first & ~1) + 2 * s;
    T* const here = made[turn % 2];
    const T* const other = made[(turn + 1) % 2];
    const bool own = has_line && s < blocks.pairs;
    const bool known[2] = {own && i >= rows.first && i < rows.last, own && i + 1 >= rows.first && i + 1 < rows.last};
    RowPair<T, dimension> pair;
    T carried = 0;
    if (own) {
      pair.load_bands(rows, i, j, k);
      pair.load_values(rows, i, j, k);
      here[t] = pair.relax_first(known, rows);
      carried = other[rows.reversed ? blocks.threads - 1 : 0];
    }
    __syncthreads();
    if (!own) continue;
    if (!rows.reversed && s + 1 < blocks.pairs) pair.u[3] = t + 1 < blocks.threads ? here[t + 1] : carried;
    if (rows.reversed && s > 0) pair.u[0] = t > 0 ? here[t - 1] : carried;
    pair.relax_second(known, rows);
    pair.store(known, &rows.u(i, j, k));
  }
}

}  // namespace

template <class T, int dimension>
void relax_lines_of_boxes(cudaStream_t stream, const BoxLines<T, dimension>& rows, std::span<const LineSet> sets) {
  if (rows.last <= rows.first) return;
  const LineBlocks blocks((rows.last + 1) / 2 - rows.first / 2);
  for (const LineSet& set : sets) {
    const int lines = set.count[0] * set.count[1];
    if (lines == 0) continue;
    launch(lines_kernel<T, dimension>, static_cast<unsigned>(divide_up(lines, blocks.lines)),
           static_cast<unsigned>(blocks.threads), stream, rows, set, blocks);
  }
}

template void relax_lines_of_boxes(cudaStream_t, const BoxLines<float, 2>&, std::span<const LineSet>);
template void relax_lines_of_boxes(cudaStream_t, const BoxLines<float, 3>&, std::span<const LineSet>);
template void relax_lines_of_boxes(cudaStream_t, const BoxLines<double, 2>&, std::span<const LineSet>);
template void relax_lines_of_boxes(cudaStream_t, const BoxLines<double, 3>&, std::span<const LineSet>);

}  // namespace poisson::cuda
