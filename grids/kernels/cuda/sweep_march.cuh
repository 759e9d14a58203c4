#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/cuda/slices.cuh"
#include "backends/memory/view.hpp"
#include "grids/kernels/cuda/sweep_rows.cuh"
#include "grids/rows/swept_axis.hpp"

/// One march along z runs several sweeps of Jacobi's method. A block of threads processes a tile of x and y whose
/// margins its neighbours compute as well. When the block reaches a plane of u, each sweep processes the plane behind
/// the previous sweep's plane. The values below and above are in the registers of the column's thread. The neighbours
/// in the plane are in shared memory, where every sweep except the last stores its plane. A step reads the values that
/// the previous step stored there, so there is one barrier a plane for any number of sweeps. In two dimensions, with y
/// in the place of z (backends/cuda/marched.hpp), a plane is a line.
namespace poisson::cuda {

/// `SweepTile` describes the tile of a pass of `sweeps` sweeps. The tile is `width` columns wide. Each of its `threads`
/// threads processes `rows` columns, adjacent along y; in a flat tile they are `threads` apart along x. `resident` is
/// the number of blocks for which registers are reserved. `rhs_ahead` means that b of the first sweep is loaded a plane
/// before its use.
template <int sweeps_, int threads_, int rows_, int width_ = 0, int resident_ = 1, bool rhs_ahead_ = false>
struct SweepTile {
  static constexpr int sweeps = sweeps_, threads = threads_, rows = rows_, resident = resident_;
  static constexpr bool rhs_ahead = rhs_ahead_;
  static constexpr bool flat = width_ == 0;
  static constexpr int columns = threads * rows;
  static constexpr int width = flat ? columns : width_;
  static constexpr int height = columns / width;
  /// A tile writes written_width × written_height of its columns.
  static constexpr int written_width = width - 2 * sweeps, written_height = flat ? 1 : height - 2 * sweeps;
  /// A plane has this many values in shared memory. Neighbours outside the tile may be read, but no result needs them.
  static constexpr int before = flat ? 1 : width + 1;
  static constexpr int plane = columns + 2 * before;
  /// `next_row` is the distance from a column of a thread to its next column.
  static constexpr int next_row = flat ? threads : width;
  template <class T>
  static constexpr unsigned shared_bytes = 2 * sweeps* plane * sizeof(T);
  static_assert(written_width > 0 && written_height > 0 && columns % width == 0);
};

/// `SweptTiles` is the partition of the box of unknowns into tiles and slabs.
struct SweptTiles {
  int across_x, across_y, slabs;
  int planes;  ///< planes per slab

  unsigned blocks() const { return static_cast<unsigned>(across_x * across_y * slabs); }
};

/// `SweepMarch` is the kernel of a pass. `adds` means that the pass also computes the norm for the given u.
template <class T, class Coefficients, class Tile, bool adds>
struct SweepMarch {
  static constexpr int sweeps = Tile::sweeps, rows = Tile::rows;
  static constexpr bool equal_cells = std::is_same_v<Coefficients, Equidistant<T>>;
  static constexpr bool keeps_rows = Layered<Coefficients>;

  using Rows = PassRows<T, Coefficients, Tile::flat>;
  Rows row_at;
  View<const T> u, b;
  View<T> next;
  T omega;
  SweptAxis x, y, z;
  SweptTiles tiles;
  double* squares;  ///< Σ r²/D per block

  __device__ void operator()(T* shared) const {
    const Place place(*this);
    State state;
    state.left = shared + Tile::before + place.at(0);
    state.leave = state.left + sweeps * Tile::plane;
    const int last = place.last_plane - 1 + sweeps;
    int p = z.from(place.first_plane, sweeps - 1) - 1;
    load(plane_of(u, readable(z, p)), place, state.ahead);
    for (; p <= last && !is_steady(p); ++p, meet(state)) step<false>(place, state, p, Planes(*this, 0));
    if (p <= last) {
      const int k = readable(z, p), until = min(last + 1, p + min(z.most + 1, z.values - 1) - k);
      for (Planes planes(*this, k); p < until; ++p, planes.go_on(*this), meet(state)) {
        if (equal_cells && place.inside)
          step<true, equal_cells>(place, state, p, planes);
        else
          step<true>(place, state, p, planes);
      }
    }
    for (; p <= last; ++p, meet(state)) step<false>(place, state, p, Planes(*this, 0));
    if constexpr (adds) {
      const double sum = sum_of_block<Tile::threads>(state.sum);
      if (threadIdx.x == 0) squares[blockIdx.x] = sum;
    }
  }

 private:
  // Returns the index at which a value of u or b is read. Outside memory no result depends on the value, so any index
  // serves.
  __device__ static int readable(const SweptAxis& axis, int i) {
    return axis.closed ? axis.place(i) : axis.values == 1 ? 0 : min(max(i, -axis.halo), axis.values - 1 + axis.halo);
  }
  // Returns the index of a value's row.
  __device__ static int within(const SweptAxis& axis, int i) { return min(max(i, axis.least), axis.most - 1); }

  // `Place` is the position of a thread's columns.
  struct Place {
    int first_plane, last_plane;
    unsigned offset[rows];  // in bytes, from the first halo value of a plane
    typename Rows::Column column[rows];
    unsigned swept = 0, own = 0;
    bool inside = true;  // no unknown of the warp is at an end

    __device__ explicit Place(const SweepMarch& m) {
      const int thread = static_cast<int>(threadIdx.x);
      int block = static_cast<int>(blockIdx.x);
      const int left = m.x.first + block % m.tiles.across_x * Tile::written_width;
      block /= m.tiles.across_x;
      const int low = m.y.first + block % m.tiles.across_y * Tile::written_height;
      first_plane = m.z.first + block / m.tiles.across_y * m.tiles.planes;
      last_plane = min(first_plane + m.tiles.planes, m.z.last);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int in_x = (Tile::flat ? thread + r * Tile::threads : thread % Tile::width) - sweeps;
        const int in_y = Tile::flat ? 0 : thread / Tile::width * rows + r - sweeps;
        const int i = readable(m.x, left + in_x), j = readable(m.y, low + in_y);
        offset[r] = static_cast<unsigned>((i + m.u.halo[0] + (j + m.u.halo[1]) * m.u.sy) * sizeof(T));
        column[r] = m.row_at.column(within(m.x, i), within(m.y, j));
        if (m.x.holds(left + in_x) && m.y.holds(low + in_y)) {
          swept |= 1u << r;
          inside = inside && !m.x.is_end(i) && !m.y.is_end(j);
        }
        if (in_x >= 0 && in_x < Tile::written_width && left + in_x < m.x.last && in_y >= 0 &&
            in_y < Tile::written_height && low + in_y < m.y.last)
          own |= 1u << r;
      }
      inside = __all_sync(~0u, inside) != 0;
    }
    __device__ bool is_swept(int r) const {
      return swept >> r & 1;
    }
    __device__ bool written(int r) const {
      return own >> r & 1;
    }
    // Returns the index of a column in shared memory.
    __device__ int at(int r) const {
      const int thread = static_cast<int>(threadIdx.x);
      return (Tile::flat ? thread : thread / Tile::width * rows * Tile::width + thread % Tile::width) +
             r * Tile::next_row;
    }
  };

  // Returns the address of the first value of plane k of a field, halo included.
  template <class X>
  __device__ static X* plane_of(const View<X>& field, int k) {
    return field.data + k * field.sz - (field.halo[0] + field.halo[1] * field.sy);
  }
  template <class X>
  __device__ static X& value(X* plane, const Place& place, int r) {
    using Byte = std::conditional_t<std::is_const_v<X>, const char, char>;
    return *reinterpret_cast<X*>(reinterpret_cast<Byte*>(plane) + place.offset[r]);
  }
  __device__ static void load(const T* plane, const Place& place, T (&to)[rows]) {
#pragma unroll
    for (int r = 0; r < rows; ++r) to[r] = __ldg(&value(plane, place, r));
  }

  // `Planes` are the planes that a step accesses when the front reaches plane k. It reads the plane of u ahead and the
  // plane of b behind, and writes the plane of `next` that all sweeps have passed.
  struct Planes {
    int k;
    const T *u, *b;
    T* next;
    __device__ Planes(const SweepMarch& m, int k)
        : k(k), u(plane_of(m.u, k + 1)), b(plane_of(m.b, k - 1)), next(plane_of(m.next, k - sweeps)) {}
    __device__ void go_on(const SweepMarch& m) {
      ++k;
      u += m.u.sz;
      b += m.b.sz;
      next += m.next.sz;
    }
  };

  // `KeptRows` stores the rows of the planes of all sweeps, and the layers below the next rows of the first sweep.
  struct NoRows {};
  template <class Layer>
  struct KeptRows {
    Layer below[rows];
    RelaxedRow<T> of[sweeps][rows];
  };
  static auto kept_rows() {
    if constexpr (keeps_rows)
      return KeptRows<typename Rows::Layer>();
    else
      return NoRows();
  }

  // `State` is the state that a thread carries from plane to plane.
  struct State {
    T here[sweeps][rows] = {},
      bottom[sweeps][rows] = {};             // each sweep's values, and how they differ from the values below
    T ahead[rows];                           // next plane of u
    T rhs[Tile::rhs_ahead ? rows : 1] = {};  // first sweep's b
    T *left, *leave;                         // shared planes that the previous step wrote and this step writes
    decltype(kept_rows()) kept{};
    double sum = 0;
  };

  // The next step reads the shared planes that this step wrote.
  __device__ static void meet(State& state) {
    __syncthreads();
    T* const swap = state.left;
    state.left = state.leave;
    state.leave = swap;
  }

  // Returns whether all swept planes are interior when the front reaches plane p, and are consecutive in memory.
  __device__ bool is_steady(int p) const {
    const int k = readable(z, p);
    const int first = z.is_end(z.least) ? z.least + 1 : z.least;
    return k - sweeps >= first && k <= z.most && k + 1 < z.values;
  }

  // Moves the front to plane p. `one_row` means that all rows of the warp are equal.
  template <bool steady, bool one_row = false>
  __device__ __forceinline__ void step(const Place& place, State& state, int p, const Planes& planes) const {
    T above[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) above[r] = state.ahead[r];
    load(steady ? planes.u : plane_of(u, readable(z, p + 1)), place, state.ahead);
    if constexpr (steady) {  // prefetch b two planes ahead
#pragma unroll
      for (int r = 0; r < rows; ++r) Fetch()(&value(planes.b + 2 * b.sz, place, r));
    }
    if constexpr (keeps_rows) {
      const int at = steady ? planes.k - 1 : within(z, readable(z, p - 1));
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int s = sweeps - 1; s > 0; --s) state.kept.of[s][r] = state.kept.of[s - 1][r];
        if (!steady) state.kept.below[r] = row_at.layer(place.column[r], at - 1);
        state.kept.of[0][r] = row_at.over(state.kept.below[r], place.column[r], at);
      }
    }
    T first_rhs[Tile::rhs_ahead ? rows : 1];
    if constexpr (Tile::rhs_ahead) {
#pragma unroll
      for (int r = 0; r < rows; ++r) first_rhs[r] = state.rhs[r];
      load(steady ? planes.b + b.sz : plane_of(b, readable(z, p)), place, state.rhs);
    }
#pragma unroll
    for (int s = 0; s < sweeps; ++s) sweep<steady, one_row>(s, place, state, p, planes, first_rhs, above);
    if (p - sweeps >= place.first_plane) {
      T* const out = steady ? planes.next : plane_of(next, readable(z, p - sweeps));
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (place.written(r)) value(out, place, r) = above[r];
    }
  }

  // Runs sweep s + 1 on plane p − s − 1. `above` has the values of the plane above, and then those of this sweep.
  template <bool steady, bool one_row>
  __device__ __forceinline__ void sweep(int s, const Place& place, State& state, int p, const Planes& planes,
                                        const T (&first_rhs)[Tile::rhs_ahead ? rows : 1], T (&above)[rows]) const {
    const int plane = p - s - 1, margin = sweeps - s - 1;
    T(&here)[rows] = state.here[s], (&bottom)[rows] = state.bottom[s];
    T *const left = state.left + s * Tile::plane, *const leave = state.leave + s * Tile::plane;
#pragma unroll
    for (int r = 0; r < rows; ++r) leave[r * Tile::next_row] = above[r];
    const bool is_own = plane >= place.first_plane && plane < place.last_plane;
    const auto relax_value = [&](int r, const RelaxedRow<T>& row, T factor, const auto& residual_of) {
      const T residual = residual_of(row.a);
      if (adds && s == 0 && is_own && place.written(r))
        state.sum += static_cast<double>(residual * residual * row.inverse);
      return here[r] + factor * residual;
    };
    const auto rhs_of = [&](const T* field, T(&right)[rows]) {
      if constexpr (Tile::rhs_ahead) {
        if (s == 0) {
#pragma unroll
          for (int r = 0; r < rows; ++r) right[r] = first_rhs[r];
          return;
        }
      }
      load(field, place, right);
    };
    const auto row_of = [&](int r, int at) {
      if constexpr (keeps_rows)
        return state.kept.of[s][r];
      else
        return row_at(place.column[r], at);
    };
    const auto by_its_row = [&](const T* field, int at) {
      T right[rows];
      rhs_of(field, right);
      relax(right, left, bottom, here, above, [&](int r, const auto& residual_of) {
        if (!place.is_swept(r)) return here[r];
        const RelaxedRow<T> row = row_of(r, at);
        return relax_value(r, row, omega * row.inverse, residual_of);
      });
    };
    if constexpr (steady && one_row) {
      T right[rows];
      rhs_of(planes.b - s * b.sz, right);
      relax(right, left, bottom, here, above, [&](int r, const auto& residual_of) {
        const T made = relax_value(r, row_at.inside, row_at.factor, residual_of);
        return place.is_swept(r) ? made : here[r];
      });
    } else if (steady) {
      by_its_row(planes.b - s * b.sz, planes.k - s - 1);
    } else if (plane >= z.from(place.first_plane, margin) && plane < z.before(place.last_plane, margin)) {
      const int at = readable(z, plane);
      by_its_row(plane_of(b, at), at);
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) move_up(bottom[r], here[r], above[r], here[r]);
    }
  }

  // Moves a column to the next plane. The new value becomes the value above for the next sweep.
  __device__ static void move_up(T& bottom, T& here, T& above, T made) {
    bottom = -(here - above);
    here = above;
    above = made;
  }

  // Runs one sweep of a plane; make(r, row ↦ residual) returns the new value. The formulas are those of
  // stencil::polynomial with β = 0, and of the norm.
  template <class Make>
  __device__ __forceinline__ void relax(const T (&right)[rows], const T* beside, T (&bottom)[rows], T (&here)[rows],
                                        T (&above)[rows], const Make& make) const {
    T south = Tile::flat ? T(0) : here[0] - beside[-Tile::width];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const T* q = beside + r * Tile::next_row;
      const T north = Tile::flat ? T(0) : here[r] - (r + 1 < rows ? here[r + 1 < rows ? r + 1 : r] : q[Tile::width]);
      const T west = here[r] - q[-1], east = here[r] - q[1], top = here[r] - above[r];
      const T made = make(r, [&](const Row<T>& a) {
        return right[r] - times<Tile::flat>(a, here[r], west, east, south, north, bottom[r], top);
      });
      bottom[r] = -top;
      here[r] = above[r];
      above[r] = made;
      south = -north;
    }
  }
};

extern __shared__ double sweep_planes[];

template <class T, class Coefficients, class Tile, bool adds>
__global__ void __launch_bounds__(Tile::threads, Tile::resident)
    sweep_kernel(const SweepMarch<T, Coefficients, Tile, adds> march) {
  march(reinterpret_cast<T*>(sweep_planes));
}

/// Computes result = Σ squares, in an order specific to this kernel.
template <int threads>
__global__ void __launch_bounds__(threads) add_squares_kernel(const double* squares, int count, double* result) {
  double sum = 0;
  for (int n = static_cast<int>(threadIdx.x); n < count; n += threads) sum += squares[n];
  sum = sum_of_block<threads>(sum);
  if (threadIdx.x == 0) *result = sum;
}

}  // namespace poisson::cuda
