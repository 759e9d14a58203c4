#include "bench/jacobi_tiles.hpp"
#include "grids/kernels/cuda/sweep_pass.cuh"

namespace poisson::bench {
namespace {

using cuda::SweepTile;

/// Sweeps, threads, columns of a thread, width and resident blocks, for bodies and for planes.
template <class T, int number>
struct Tile;
template <int number>
struct Tile<double, number> {
  using Body =
      std::tuple_element_t<number,
                           std::tuple<SweepTile<4, 512, 4, 64>, SweepTile<3, 512, 4, 64>, SweepTile<2, 512, 4, 64>,
                                      SweepTile<3, 256, 4, 32, 2>, SweepTile<3, 512, 4, 128>, SweepTile<4, 512, 4, 32>,
                                      SweepTile<3, 768, 3, 64>, SweepTile<3, 640, 4, 64>>>;
  using Plane = std::tuple_element_t<
      number, std::tuple<SweepTile<4, 256, 2, 0, 3>, SweepTile<6, 256, 2, 0, 2>, SweepTile<8, 256, 2, 0, 2>,
                         SweepTile<4, 256, 1, 0, 5>, SweepTile<4, 512, 2, 0, 1>, SweepTile<4, 128, 2, 0, 6>,
                         SweepTile<6, 256, 1, 0, 4>, SweepTile<8, 256, 1, 0, 3>>>;
};
template <int number>
struct Tile<float, number> {
  using Body =
      std::tuple_element_t<number,
                           std::tuple<SweepTile<4, 512, 8, 64>, SweepTile<3, 512, 8, 64>, SweepTile<6, 512, 8, 64>,
                                      SweepTile<4, 256, 8, 64, 2>, SweepTile<4, 512, 8, 128>, SweepTile<4, 1024, 4, 64>,
                                      SweepTile<3, 768, 5, 64>, SweepTile<3, 640, 6, 64>>>;
  using Plane = std::tuple_element_t<
      number, std::tuple<SweepTile<4, 256, 4, 0, 3>, SweepTile<6, 256, 4, 0, 2>, SweepTile<8, 256, 4, 0, 2>,
                         SweepTile<4, 256, 2, 0, 5>, SweepTile<8, 256, 2, 0, 4>, SweepTile<4, 128, 4, 0, 6>,
                         SweepTile<6, 256, 2, 0, 4>, SweepTile<12, 256, 2, 0, 2>>>;
};

template <int number>
struct Numbered {
  template <class T, class, bool flat>
  struct Of {
    using Type = std::conditional_t<flat, typename Tile<T, number>::Plane, typename Tile<T, number>::Body>;
  };
};

template <class T, int number = 0>
std::unique_ptr<SweepPass> make(Backend& backend, const LevelRows& rows, int tile) {
  if constexpr (number < tile_count) {
    if (tile != number) return make<T, number + 1>(backend, rows, tile);
    return cuda::make_marched_sweeps<T, Equidistant<T>, Numbered<number>::template Of>(backend, rows);
  } else {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<SweepPass> make_tiled_pass(Backend& backend, const LevelRows& rows, Precision precision, int tile) {
  return dispatch(precision, [&]<class T>(T) { return make<T>(backend, rows, tile); });
}

}  // namespace poisson::bench
