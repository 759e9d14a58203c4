#pragma once

#include <algorithm>

#include "backends/cuda/check.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/device/field.hpp"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/colour_march.cuh"
#include "grids/kernels/cuda/paired_sweeps.hpp"
#include "grids/kernels/cuda/polynomial_pairs.cuh"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/rows/sweep_slabs.hpp"

namespace poisson::cuda {

/// Calls f with std::true_type if rows have a reaction, otherwise with std::false_type.
template <class Coefficients, class F>
void with_reaction(const Coefficients& c, const F& f) {
  c.reaction.data || c.sigma != 0 ? f(std::true_type()) : f(std::false_type());
}

template <class T, class Coefficients>
void take_paired_step(cudaStream_t stream, const Coefficients& c, const Box& box, PolynomialStep step, const Field& u,
                      const Field& b, Field& previous) {
  Box pairs = box;
  pairs.first[0] = box.first[0] / 2;
  pairs.last[0] = (box.last[0] + 1) / 2;
  with_reaction(c, [&]<bool reacts>(std::bool_constant<reacts>) {
    constexpr bool nodes = std::is_same_v<Coefficients, Partial<T, true>>;
    constexpr int resident = sizeof(T) == 4 ? 768 : 512, ahead = sizeof(T) == 4 && nodes ? 2 : 0;
    for_columns(stream, pairs,
                PolynomialPairs<T, Coefficients, reacts, resident, ahead>(c, u.view<T>(), b.view<T>(),
                                                                          previous.view<T>(), step, box));
  });
}

/// `ColourTileFor` is the tile of a red-black sweep.
template <class T>
using ColourTileFor = std::conditional_t<sizeof(T) == 4, ColourTile<16, 2>, ColourTile<16, 1>>;

/// Returns the partition of a box into tiles, for Tile::resident blocks on a multiprocessor.
template <class Tile>
ColourTiles colour_tiles(const Box& box) {
  constexpr int most_planes = 256;  // their heights fit shared memory
  static const int slots = [] {
    int device = 0, multiprocessors = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return multiprocessors * Tile::resident;
  }();
  ColourTiles tiles{};
  tiles.first_x = (box.first[0] - 1) & -2;
  tiles.across_x = divide_up(box.last[0] - tiles.first_x - 1, Tile::width);
  tiles.across_y = divide_up(box.last[1] - box.first[1], Tile::height);
  const int planes = box.last[2] - box.first[2];
  const int slabs = std::max(divide_up(planes, most_planes),
                             slabs_of(static_cast<long>(tiles.across_x) * tiles.across_y, planes, Tile::margin, slots));
  tiles.planes = divide_up(planes, slabs);
  tiles.slabs = divide_up(planes, tiles.planes);
  return tiles;
}

template <class T, class Coefficients>
void relax_both_colours(cudaStream_t stream, const Coefficients& c, const Space& space, const Box& box, double omega,
                        int parity, bool from_zero, const Field& u, const Field& b, Field& next) {
  using Tile = ColourTileFor<T>;
  if (box.size() == 0) return;
  const auto axis = [&](std::size_t d) {
    SweptAxis axis = swept_axis(space, d, 1);
    axis.first = box.first[d];
    axis.last = box.last[d];
    return axis;
  };
  const auto relax = [&]<bool reacts, bool zero>(std::bool_constant<reacts>, std::bool_constant<zero>) {
    const ColourMarch<T, Coefficients, Tile, reacts, zero> march(c, u.view<T>(), b.view<T>(), next.view<T>(),
                                                                 static_cast<T>(omega), parity, axis(0), axis(1),
                                                                 axis(2), colour_tiles<Tile>(box));
    colour_kernel<T, Coefficients, Tile, reacts, zero>
        <<<march.tiles.blocks(), Tile::threads, march.shared_bytes(), stream>>>(march);
    launched(stream);
  };
  with_reaction(c,
                [&](auto reacts) { from_zero ? relax(reacts, std::true_type()) : relax(reacts, std::false_type()); });
}

template <class T, class Coefficients>
struct FirstColour {
  Coefficients c;
  View<const T> u, b;
  View<T> next;
  T omega;
  int parity;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const Star<T> star = Star<T>::at(&u(i, j, k), u.sy, u.sz);
      next(i, j, k) = ((i + j + k + parity) & 1) != 0
                          ? star.centre
                          : stencil::gauss_seidel(relaxed_row<T>(c, i, j, k), star, b(i, j, k), omega);
    }
  }
};
template <class T, class Coefficients>
void relax_first_colour(cudaStream_t stream, const Coefficients& c, const Box& box, double omega, int parity,
                        const Field& u, const Field& b, Field& next) {
  for_columns(stream, box,
              FirstColour<T, Coefficients>{c, u.view<T>(), b.view<T>(), next.view<T>(), static_cast<T>(omega), parity});
}

}  // namespace poisson::cuda
