#include <cstdint>
#include <type_traits>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/utilities/cuda/functions.hpp"
#include "backends/utilities/cuda/transpose.cuh"

namespace poisson::cuda {
namespace {

// Selects the tiles for elements that are moved n to a word. The shapes were measured on an H200 at 4000² to 32768²
// among 15 shapes. Single elements, whose rows may begin anywhere, need long pieces of rows: fewer ends of pieces share
// a sector of the cache.
template <class Element, int n>
struct Square : TileShape<32, 32, 256> {};
template <int n>
struct Square<std::uint32_t, n> : TileShape<64, 64, 256, true> {};
template <>
struct Square<std::uint32_t, 1> : TileShape<128, 32, 256, true> {};
template <>
struct Square<std::uint64_t, 1> : TileShape<64, 64, 512> {};
// Matrices with few columns or few rows would leave most of a square tile empty.
template <class Element>
using Tall = std::conditional_t<sizeof(Element) == 16, TileShape<128, 8, 256>, TileShape<256, 16, 256>>;
template <class Element>
using Wide = TileShape<Tall<Element>::columns, Tall<Element>::rows, Tall<Element>::threads>;

template <class Element>
void transpose_as(cudaStream_t stream, const Transposition& shape, const void* from, void* to) {
  if (shape.columns <= Tall<Element>::columns) return transpose_tiled<Tall<Element>, Element>(stream, shape, from, to);
  if (shape.rows <= Wide<Element>::rows) return transpose_tiled<Wide<Element>, Element>(stream, shape, from, to);
  in_widest_words<Element>(
      shape, from, to, [&]<int n>() { detail::launch_tiles<Element, n, Square<Element, n>>(stream, shape, from, to); });
}

}  // namespace

void transpose(Backend& backend, const Transposition& shape, const void* from, void* to) {
  const cudaStream_t stream = static_cast<CudaBackend&>(backend).stream();
  if (shape.element == 4) return transpose_as<std::uint32_t>(stream, shape, from, to);
  if (shape.element == 8) return transpose_as<std::uint64_t>(stream, shape, from, to);
  transpose_as<uint4>(stream, shape, from, to);
}

}  // namespace poisson::cuda
