#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/memory/view.hpp"
#include "grids/kernels/cuda/column_pair.cuh"
#include "grids/rows/stencil.hpp"
#include "grids/rows/swept_axis.hpp"

/// A red-black sweep is one march along z. When the front reaches plane p, the first colour of plane p is relaxed, and
/// then the second colour of plane p − 1. A warp processes a line of the tile, and a lane two columns of that line. In
/// each step one of the two columns has both values: the first colour at p, the second colour at p − 1. In the next
/// step the other column has them. Values below and above are in registers; relaxed values of the adjacent lines are in
/// shared memory. The sweep reads u and writes another field, because tiles overlap. Each tile relaxes the first colour
/// one value beyond its own values, as its neighbour does, and gets the same bits.
namespace poisson::cuda {

/// `ColourTiles` is the partition of the box of unknowns into tiles and slabs.
struct ColourTiles {
  int first_x;  ///< column of the first tile's first lane, even
  int across_x, across_y, slabs;
  int planes;  ///< planes per slab

  unsigned blocks() const { return static_cast<unsigned>(across_x * across_y * slabs); }
};

/// `ColourTile` describes a tile. All of its `warps` warps except two store results. `resident` is the number of blocks
/// for which registers are reserved.
template <int warps_, int resident_>
struct ColourTile {
  static constexpr int warps = warps_, resident = resident_, threads = 32 * warps;
  static constexpr int width = 62, height = warps - 2;  ///< written columns and lines
  static constexpr int margin = 2;                      ///< a slab marches through this many additional planes
};

/// `ColourMarch` is the kernel of a red-black sweep. Along each axis the values from `first` to `last` are written;
/// those from `least` to `most` are unknowns. `reacts` states whether rows have a reaction. With `from_zero`, u is
/// treated as zero and not read.
template <class T, class Coefficients, class Tile, bool reacts, bool from_zero>
struct ColourMarch {
  using Pair = ColumnPair<T, Coefficients>;
  using Layer = typename Pair::Layer;
  using Beside = decltype(Coefficients().column(0, 0).beside(0));
  static constexpr int lanes = 32;
  /// `Height` contains the data that all rows of a plane share, in shared memory.
  struct alignas(16) Height {
    Beside beside;
  };

  Coefficients c;
  typename Pair::Arrays arrays;
  ArrayPlaces places;  ///< in every field
  const T *u, *above, *south, *north, *b;
  T* next_below;
  T omega;
  int parity;  ///< the first colour has even i + j + k + parity
  SweptAxis x, y, z;
  ColourTiles tiles;

  ColourMarch(const Coefficients& c, const View<const T>& u, const View<const T>& b, const View<T>& next, T omega,
              int parity, const SweptAxis& x, const SweptAxis& y, const SweptAxis& z, const ColourTiles& tiles)
      : c(c),
        arrays(c),
        places(u),
        u(places.base(u)),
        above(this->u + u.sz),
        south(this->u - u.sy),
        north(this->u + u.sy),
        b(places.base(b)),
        next_below(places.base(next, -u.sz)),
        omega(omega),
        parity(parity),
        x(x),
        y(y),
        z(z),
        tiles(tiles) {}

  /// Shared memory contains the relaxed values of two planes, with unused lines around each, and the heights of a slab.
  static constexpr int buffer = Tile::threads + lanes;
  static constexpr unsigned made_values = 2 * buffer + lanes;
  unsigned shared_bytes() const {
    return static_cast<unsigned>(made_values * sizeof(T) + (tiles.planes + 2) * sizeof(Height));
  }

  __device__ void operator()(char* shared) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes, warp = static_cast<int>(threadIdx.x) / lanes;
    int block = static_cast<int>(blockIdx.x);
    const int left = tiles.first_x + block % tiles.across_x * Tile::width + 2 * lane;
    block /= tiles.across_x;
    const int j = y.first + block % tiles.across_y * Tile::height + warp - 1;
    const int k0 = z.first + block / tiles.across_y * tiles.planes;
    const int k1 = min(k0 + tiles.planes, z.last);
    auto* const heights = reinterpret_cast<Height*>(shared + made_values * sizeof(T));
    for (int p = static_cast<int>(threadIdx.x); p < k1 - k0 + 2; p += Tile::threads)
      heights[p].beside = c.column(x.first, y.first).beside(within(z, place(k0 - 1 + p)));
    __syncthreads();

    // The first colour is also relaxed in the planes below and above the slab, if these planes contain unknowns.
    int p = z.closed || k0 > z.least ? k0 - 1 : k0;
    const int end = z.closed || k1 < z.most ? k1 + 1 : k1;
    // Lines and pairs beyond an end read values at the end, and nothing uses the result.
    const int row = y.closed ? y.place(j) : min(j, y.most);
    const int i = x.closed ? x.place(left) : min(left, x.most & -2);
    const int i_within = x.closed ? i : min(max(i, x.least & -2), (x.most - 1) & -2);
    // Lines whose right column has the first colour at plane p enter the loop at its second half.
    const bool right_first = ((left + j + p + parity) & 1) != 0;
    T* const made = reinterpret_cast<T*>(shared) + lanes + threadIdx.x;
    Lane at{Pair(c, arrays, i_within, within(y, row), place(p)),
            places(i, row, place(p)),
            {made + (right_first ? buffer : 0), made + (right_first ? 0 : buffer)},
            heights + (p - k0 + 1),
            0};
    const bool writes = warp > 0 && warp <= Tile::height && j < y.last;
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int column = left + s, in_tile = 2 * lane + s;
      if (y.holds(j) && x.holds(column)) at.flags |= 1u << s;
      if (writes && in_tile > 0 && in_tile <= Tile::width && column >= x.first && column < x.last) at.flags |= 4u << s;
    }
    State state;
    start(at, p, state);
    // The next plane at which the front passes from the last plane to the first one; −2 for none.
    int jump = !z.closed ? -2 : p < 0 ? 0 : z.values;
    bool left_is_next = !right_first;
    for (; p != end; left_is_next = true) {
      if (left_is_next) {
        step<0>(at, p, k0, jump, state);
        left_is_next = false;
        if (p == end) break;
      }
      step<1>(at, p, k0, jump, state);
    }
    // The plane above the last unknowns is not relaxed; its halo may not be read.
    if (end == k1) left_is_next ? finish<0>(at, p, k0, state) : finish<1>(at, p, k0, state);
  }

 private:
  struct Lane {
    Pair pair;
    unsigned here;         // index of the left column's value at the front
    T* made[2];            // where the lane stores a column's relaxed value in shared memory
    const Height* height;  // at the front
    unsigned flags;        // bits 0, 1: whether a column is relaxed; 2, 3: whether it is written
  };
  // `State` contains the values of both columns.
  struct State {
    T here[2] = {}, below[2] = {};   // u at the front and in the plane below it
    T made[2] = {};                  // the value of the first colour that was relaxed last
    T rhs[2] = {};                   // b of the plane below the front
    Layer below_layer[2], layer[2];  // layers below the planes p − 1 and p
  };

  __device__ static int within(const SweptAxis& axis, int i) {
    return min(max(i, axis.least), axis.most - 1);
  }
  static constexpr int has_passed = -3;  // the front is at plane n, which is plane 0
  // Returns the plane of the fields that corresponds to plane p, which is at most one beyond an end.
  __device__ int place(int p) const {
    return !z.closed ? p : p < 0 ? p + z.values : p < z.values ? p : p - z.values;
  }
  // Moves the front up from plane p.
  __device__ __forceinline__ void go_up(Lane& at, int& p, int& jump) const {
    ++at.height;
    at.pair.at += arrays.places.sz;
    at.here += places.sz;
    if (++p == jump) {
      at.here -= static_cast<unsigned>(z.values) * places.sz;
      at.pair.at -= static_cast<unsigned>(z.values) * arrays.places.sz;
      jump = p == 0 ? z.values : has_passed;
    }
  }
  // Returns the row of column a at plane p.
  template <int a>
  __device__ Row<T> row(const Lane& at, const Layer& below, const Layer& above, const Height& height, int p) const {
    Beside beside = height.beside;
    if constexpr (reacts) {
      if (c.reaction.data) beside.reaction = at.pair.column[a].weight[within(z, place(p)) * c.reaction.sz];
      return at.pair.column[a].coupled_row(below, above, beside);
    } else {
      Row<T> row = at.pair.column[a].coupled_row(below, above, beside);
      row.reaction = T(0);
      return row;
    }
  }

  // Loads the values below the front at plane p.
  __device__ void start(const Lane& at, int p, State& state) const {
    if constexpr (!from_zero) {
      const Two<T> here = load_two(u + at.here), below = load_two(u + (at.here - places.sz));
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        state.here[s] = here[s];
        state.made[s] = state.below[s] = below[s];
      }
    }
    Pair pair = at.pair;
    if (z.closed) pair.at += static_cast<unsigned>(z.place(p - 1) - place(p) + 1) * arrays.places.sz;
    pair.at -= arrays.places.sz;
    const auto read = pair.read(arrays);
#pragma unroll
    for (int s = 0; s < 2; ++s) state.below_layer[s] = state.layer[s] = pair.layer(s, read);
  }

  // Relaxes the first colour of column a at plane p and its second colour at plane p − 1, then moves the front up.
  template <int a>
  __device__ __forceinline__ void step(Lane& at, int& p, int k0, int& jump, State& state) const {
    constexpr int o = 1 - a;
    const Two<T> right = load_two(b + at.here);
    Two<T> up{};
    T down_y{}, up_y{}, outer{};
    if constexpr (!from_zero) {
      up = load_two(above + at.here);
      down_y = __ldg(south + at.here + a);
      up_y = __ldg(north + at.here + a);
      outer = __ldg(a == 0 ? u + at.here - 1 : u + at.here + 2);
    }
    const auto read = at.pair.read(arrays);
    const Row<T> second = row<a>(at, state.below_layer[a], state.layer[a], at.height[-1], p - 1);
    const T outer_made = a == 0 ? __shfl_up_sync(~0u, state.made[1], 1) : __shfl_down_sync(~0u, state.made[0], 1);
    const Layer layer[2] = {at.pair.layer(0, read), at.pair.layer(1, read)};
    const Row<T> first = row<a>(at, state.layer[a], layer[a], at.height[0], p);
    const Star<T> star{
        state.here[a], a == 0 ? outer : state.here[o], a == 0 ? state.here[o] : outer, down_y, up_y, state.below[a],
        up[a]};
    const T relaxed = stencil::gauss_seidel(first, star, right[a], omega);
    const T made = at.flags >> a & 1 ? relaxed : state.here[a];
    *at.made[a] = made;
    relax_second<a>(at, second, outer_made, made, p, k0, jump, state);
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      state.below[s] = state.here[s];
      state.here[s] = up[s];
      state.below_layer[s] = state.layer[s];
      state.layer[s] = layer[s];
    }
    state.made[a] = made;
    state.rhs[o] = right[o];
    go_up(at, p, jump);
    asm volatile("bar.sync 0;" ::: "memory");
  }
  template <int a>
  __device__ void finish(const Lane& at, int p, int k0, const State& state) const {
    const T outer_made = a == 0 ? __shfl_up_sync(~0u, state.made[1], 1) : __shfl_down_sync(~0u, state.made[0], 1);
    const Row<T> second = row<a>(at, state.below_layer[a], state.layer[a], at.height[-1], p - 1);
    relax_second<a>(at, second, outer_made, state.here[a], p, k0, -2, state);
  }
  // Relaxes the second colour of the plane below the front and stores both colours of that plane.
  template <int a>
  __device__ __forceinline__ void relax_second(const Lane& at, const Row<T>& row, T outer, T top, int p, int k0,
                                               int jump, const State& state) const {
    constexpr int o = 1 - a;
    const T* const lines = at.made[o];
    const T inner = state.made[o];
    const Star<T> star{state.below[a],
                       a == 0 ? outer : inner,
                       a == 0 ? inner : outer,
                       lines[-lanes],
                       lines[lanes],
                       state.made[a],
                       top};
    const T relaxed = stencil::gauss_seidel(row, star, state.rhs[a], omega);
    if (p <= k0) return;
    T* const to = next_below + (jump == has_passed ? at.here + static_cast<unsigned>(z.values) * places.sz : at.here);
    const T left = a == 0 ? relaxed : inner, right = a == 0 ? inner : relaxed;
    const unsigned written = at.flags >> 2;
    if (written == 3)
      store_two(to, left, right);
    else if (written != 0)
      to[written >> 1] = written == 1 ? left : right;
  }
};

extern __shared__ char colour_planes[];

template <class T, class Coefficients, class Tile, bool reacts, bool from_zero>
__global__ void __launch_bounds__(Tile::threads, Tile::resident)
    colour_kernel(const ColourMarch<T, Coefficients, Tile, reacts, from_zero> march) {
  await_others();
  march(colour_planes);
}

}  // namespace poisson::cuda
