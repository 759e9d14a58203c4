#include "bench/jacobi_tiles.hpp"
#include "grids/kernels/cuda/sweep_pass.cuh"

namespace poisson::bench {
namespace {

using cuda::SweepTile;

/// Lists sweeps, threads, columns per thread, width, resident blocks, and whether b is loaded ahead, for boxes and
/// planes.
template <class T, int number>
struct Tile;
template <int number>
struct Tile<double, number> {
  using Body = std::tuple_element_t<
      number, std::tuple<SweepTile<4, 512, 4, 64>, SweepTile<4, 512, 4, 64, 1, true>, SweepTile<2, 512, 4, 64>,
                         SweepTile<2, 512, 4, 64, 2>, SweepTile<3, 512, 4, 64>, SweepTile<3, 512, 4, 64, 1, true>,
                         SweepTile<4, 512, 4, 32>, SweepTile<3, 256, 4, 32, 2>>>;
  using Plane = std::tuple_element_t<
      number, std::tuple<SweepTile<4, 256, 2, 0, 3>, SweepTile<4, 256, 2, 0, 3, true>, SweepTile<2, 256, 2, 0, 3>,
                         SweepTile<6, 256, 2, 0, 2, true>, SweepTile<8, 256, 2, 0, 2>, SweepTile<8, 256, 2, 0, 2, true>,
                         SweepTile<4, 256, 1, 0, 5, true>, SweepTile<6, 256, 1, 0, 4, true>>>;
};
template <int number>
struct Tile<float, number> {
  using Body = std::tuple_element_t<
      number, std::tuple<SweepTile<3, 512, 8, 64>, SweepTile<3, 512, 8, 64, 1, true>, SweepTile<2, 512, 8, 64>,
                         SweepTile<4, 512, 8, 64, 1, true>, SweepTile<3, 256, 8, 64, 2>,
                         SweepTile<3, 256, 8, 64, 2, true>, SweepTile<4, 1024, 4, 64>, SweepTile<3, 768, 5, 64>>>;
  using Plane = std::tuple_element_t<
      number, std::tuple<SweepTile<4, 256, 4, 0, 3>, SweepTile<4, 256, 4, 0, 3, true>, SweepTile<2, 256, 4, 0, 3>,
                         SweepTile<6, 256, 4, 0, 2, true>, SweepTile<8, 256, 4, 0, 2>, SweepTile<8, 256, 4, 0, 2, true>,
                         SweepTile<6, 256, 2, 0, 4, true>, SweepTile<12, 256, 2, 0, 2, true>>>;
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

std::unique_ptr<SweepPass> make_tiled_pass(Backend& backend, const SchemeRows& rows, Precision precision, int tile) {
  return dispatch(precision, [&]<class T>(T) { return make<T>(backend, level_rows(rows), tile); });
}

}  // namespace poisson::bench
