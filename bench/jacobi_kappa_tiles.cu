#include "bench/jacobi_tiles.hpp"
#include "grids/kernels/cuda/sweep_pass.cuh"

namespace poisson::bench {
namespace {

using cuda::SweepTile;

/// As in jacobi_tiles.cu.
template <class T, int number>
struct Tile;
template <int number>
struct Tile<double, number> {
  using Body =
      std::tuple_element_t<number,
                           std::tuple<SweepTile<1, 512, 4, 64>, SweepTile<2, 384, 4, 32>, SweepTile<2, 512, 2, 64>,
                                      SweepTile<2, 256, 4, 64>, SweepTile<2, 256, 3, 32, 2>>>;
  using Plane = std::tuple_element_t<
      number, std::tuple<SweepTile<1, 256, 2, 0, 3>, SweepTile<2, 256, 2, 0, 2>, SweepTile<3, 256, 1, 0, 3>,
                         SweepTile<4, 256, 1, 0, 2>, SweepTile<2, 256, 1, 0, 4>>>;
};
template <int number>
struct Tile<float, number> {
  using Body =
      std::tuple_element_t<number,
                           std::tuple<SweepTile<1, 512, 4, 64>, SweepTile<2, 512, 4, 64>, SweepTile<3, 512, 4, 64>,
                                      SweepTile<2, 256, 8, 64>, SweepTile<2, 256, 4, 32, 2>>>;
  using Plane = std::tuple_element_t<
      number, std::tuple<SweepTile<1, 256, 2, 0, 3>, SweepTile<2, 256, 4, 0, 2>, SweepTile<3, 256, 2, 0, 3>,
                         SweepTile<4, 256, 2, 0, 2>, SweepTile<2, 256, 2, 0, 4>>>;
};

template <int number>
struct Numbered {
  template <class T, class, bool flat>
  struct Of {
    using Type = std::conditional_t<flat, typename Tile<T, number>::Plane, typename Tile<T, number>::Body>;
  };
};

template <class T, int number = 0>
std::unique_ptr<SweepPass> make(Backend& backend, const NodeRows& rows, int tile) {
  if constexpr (number < kappa_tile_count) {
    if (tile != number) return make<T, number + 1>(backend, rows, tile);
    return cuda::make_marched_sweeps<T, Partial<T, true>, Numbered<number>::template Of>(backend, rows);
  } else {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<SweepPass> make_kappa_tiled_pass(Backend& backend, const NodeRows& rows, Precision precision,
                                                 int tile) {
  return dispatch(precision, [&]<class T>(T) { return make<T>(backend, rows, tile); });
}

}  // namespace poisson::bench
