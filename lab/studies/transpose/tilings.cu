// Measures tunings of the library's kernel that it did not choose.

#include <cstdint>

#include "backends/utilities/cuda/transpose.cuh"
#include "lab/harness/stream.cuh"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

template <class TileShape>
void launch_tiling(Backend& backend, const Transposition& shape, const void* from, void* to) {
  const cudaStream_t stream = stream_of(backend);
  if (shape.element == 4)
    cuda::transpose_tiled<TileShape, std::uint32_t>(stream, shape, from, to);
  else
    cuda::transpose_tiled<TileShape, std::uint64_t>(stream, shape, from, to);
}

template <class TileShape>
TransposeVariant tuning() {
  std::string name = "tuning " + std::to_string(TileShape::rows) + " x " + std::to_string(TileShape::columns) + ", " +
                     std::to_string(TileShape::threads) + " threads";
  if (TileShape::streaming) name += ", streaming";
  return {.name = std::move(name), .launch = launch_tiling<TileShape>};
}

}  // namespace

std::vector<TransposeVariant> gpu_transpose_tilings() {
  using cuda::TileShape;
  return {
      // Uses words of 16 bytes alone: tiles of 32 × 32 along the source's rows.
      {.name = std::string(transpose_names::vectorized), .launch = launch_tiling<TileShape<32, 32, 64>>},
      tuning<TileShape<32, 32, 64, true>>(),
      tuning<TileShape<64, 32, 128>>(),
      tuning<TileShape<32, 64, 128>>(),
      tuning<TileShape<64, 64, 128>>(),
      tuning<TileShape<64, 64, 256>>(),
      tuning<TileShape<64, 64, 256, true>>(),
      tuning<TileShape<32, 128, 256>>(),
      tuning<TileShape<128, 32, 256>>(),
      tuning<TileShape<128, 32, 256, true>>(),
  };
}

}  // namespace poisson::lab
