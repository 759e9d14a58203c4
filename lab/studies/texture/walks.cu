// Implements the lecture's kernel: blocks process lines of a square, and their threads the places of each line.

#include <array>
#include <memory>
#include <utility>

#include "lab/harness/array_texture.cuh"
#include "lab/harness/read.cuh"
#include "lab/studies/texture/kernels.hpp"
#include "lab/studies/texture/linear_texture.cuh"
#include "lab/studies/texture/study.hpp"

namespace poisson::lab {
namespace {

// The load paths are function objects.
template <class T>
struct Plain {
  const T* data;
  int size;
  __device__ T operator()(Place2 at) const { return data[std::int64_t{at.row} * size + at.column]; }
};
template <class T>
struct Linear {
  cudaTextureObject_t texture;
  int size;
  __device__ T operator()(Place2 at) const { return tex1Dfetch<T>(texture, at.row * size + at.column); }
};
template <class T>
struct OfArray {
  cudaTextureObject_t texture;
  __device__ T operator()(Place2 at) const {
    return tex2D<T>(texture, static_cast<float>(at.column) + 0.5f, static_cast<float>(at.row) + 0.5f);
  }
};

// Sets sums[block][thread] to WalkSum for every thread. A batch of loads is issued before the first one is used.
template <class T, Walk2 walk, class Read>
__global__ void walk_kernel(Read read, int size, float* sums) {
  const int threads = static_cast<int>(blockDim.x);
  T sum{};
  for (int line = static_cast<int>(blockIdx.x); line < size; line += static_cast<int>(gridDim.x)) {
    int place = static_cast<int>(threadIdx.x);
#pragma unroll 1
    for (; place + (in_flight - 1) * threads < size; place += in_flight * threads) {
      T value[in_flight];
#pragma unroll
      for (int i = 0; i < in_flight; ++i) value[i] = read(place_of(walk, line, place + i * threads, size));
#pragma unroll
      for (int i = 0; i < in_flight; ++i) add_to(sum, value[i]);
    }
#pragma unroll 1
    for (; place < size; place += threads) add_to(sum, read(place_of(walk, line, place, size)));
  }
  sums[std::int64_t{blockIdx.x} * threads + threadIdx.x] = total(sum);
}

// Owns a square of noise, and textures over it.
template <class T>
struct Square {
  static constexpr int lanes = static_cast<int>(sizeof(T) / sizeof(float));
  int size;
  Array<float> floats;
  std::unique_ptr<LinearTexture<T>> linear;
  std::unique_ptr<ArrayTexture<T>> array;

  Square(Backend& backend, int side) : size(side), floats(backend, std::int64_t{side} * side * lanes) {
    fill(backend, floats, NoiseFloat{});
    linear = std::make_unique<LinearTexture<T>>(floats.data(), floats.bytes());
    array = std::make_unique<ArrayTexture<T>>(backend, floats.data(), side, side);
  }
  double bytes() const { return static_cast<double>(floats.bytes()); }
};

template <class T, Walk2 walk>
void walk_by(Backend& backend, const Square<T>& square, std::size_t path, Blocks grid, const Array<float>& sums) {
  const cudaStream_t stream = stream_of(backend);
  const auto launch = [&](auto read) {
    walk_kernel<T, walk><<<static_cast<unsigned>(grid.blocks), static_cast<unsigned>(grid.threads), 0, stream>>>(
        read, square.size, sums.data());
    cuda::launched(stream);
  };
  if (path == 0)
    launch(Plain<T>{reinterpret_cast<const T*>(square.floats.data()), square.size});
  else if (path == 1)
    launch(Linear<T>{square.linear->object(), square.size});
  else
    launch(OfArray<T>{square.array->object()});
}

template <class T>
using WalkBy = void (*)(Backend&, const Square<T>&, std::size_t path, Blocks, const Array<float>&);
template <class T>
constexpr std::array<WalkBy<T>, 3> walks{walk_by<T, Walk2::rows>, walk_by<T, Walk2::columns>,
                                         walk_by<T, Walk2::random>};
constexpr std::array kinds{Walk2::rows, Walk2::columns, Walk2::random};

template <class T>
constexpr const char* element_name = Square<T>::lanes == 1 ? "float" : "float4";

template <class T>
Point measure(Session& session, const Square<T>& square, std::size_t walk, std::size_t path, Blocks grid,
              const Array<float>& sums) {
  Backend& backend = session.backend();
  const std::string variant = walk_variant(element_name<T>, walk_names[walk], path_names[path]);
  const auto read = [&] { walks<T>[walk](backend, square, path, grid, sums); };
  spoil(backend, sums);
  read();
  const WalkSum oracle{kinds[walk], square.size, Square<T>::lanes, grid};
  session.check(mismatches(backend, sums, grid.size(), oracle) == 0, "texture", variant, "sums differ");
  const Timing seconds = session.time(read);
  return {variant, 0, seconds, 1e-9 * square.bytes() / seconds};
}

// Returns the grids of the search. All numbers of threads are multiples of 32, except 100.
std::vector<Blocks> searched_grids(const Session& session, int size) {
  std::vector<Blocks> grids;
  const std::vector<int> threads =
      session.quick() ? std::vector{64, 256} : std::vector{32, 64, 100, 128, 192, 256, 512};
  const std::vector<int> blocks = session.quick() ? std::vector{4096} : std::vector{512, 1024, 2048, 4096, 8192};
  for (const int t : threads)
    for (const int b : blocks)
      if (b <= size) grids.push_back({b, t});
  return grids;
}

struct Best {
  Panel rates{"best", "A square of 256 MiB by every path, each with its best grid", "", "GB/s read"};
  Panel threads{"best-threads", "Threads per block of these grids", "", "threads"};
  Panel blocks{"best-blocks", "Blocks of these grids", "", "blocks"};
};

template <class T>
void search(Session& session, const Square<T>& square, const Array<float>& sums, Best& best) {
  for (std::size_t walk = 0; walk < kinds.size(); ++walk)
    for (std::size_t path = 0; path < path_names.size(); ++path) {
      Point found;
      Blocks grid;
      for (const Blocks& candidate : searched_grids(session, square.size)) {
        Point point = measure(session, square, walk, path, candidate, sums);
        if (point.value <= found.value) continue;
        found = std::move(point);
        grid = candidate;
      }
      best.threads.points.push_back({found.variant, 0, found.seconds.median, static_cast<double>(grid.threads)});
      best.blocks.points.push_back({found.variant, 0, found.seconds.median, static_cast<double>(grid.blocks)});
      best.rates.points.push_back(std::move(found));
    }
}

// Measures with the grid that was best on the lecture's device.
template <class T>
void then(Session& session, const Square<T>& square, const Array<float>& sums, Blocks along, Blocks down,
          Panel& panel) {
  constexpr std::size_t array = 2;
  panel.points.push_back(measure(session, square, 0, array, along, sums));
  panel.points.push_back(measure(session, square, 1, array, down, sums));
}

// Varies one number of the grid and fixes the other one, for rows of floats.
Panel over_threads(Session& session, const Square<float>& square, const Array<float>& sums) {
  Panel panel{"threads", "Rows of floats, 4096 blocks", "threads per block", "GB/s read"};
  std::vector<int> counts{16, 32, 48, 64, 96, 100, 128, 160, 192, 200, 256, 300, 320, 384, 400, 448, 500, 512};
  if (session.quick()) counts = {32, 100, 128, 256, 300, 512};
  for (const std::size_t path : {0, 2})
    for (const int threads : counts) {
      panel.points.push_back(measure(session, square, 0, path, {4096, threads}, sums));
      panel.points.back().x = threads;
      panel.points.back().variant = path_names[path];
    }
  return panel;
}
Panel over_blocks(Session& session, const Square<float>& square, const Array<float>& sums) {
  Panel panel{"blocks", "Rows of floats, 128 threads per block", "blocks", "GB/s read", true};
  std::vector<int> counts{64, 96, 132, 192, 264, 288, 384, 512, 792, 1024, 1056, 1904, 2048, 2112, 4096, 8192};
  if (session.quick()) counts = {64, 512, 1904, 8192};
  for (const std::size_t path : {0, 2})
    for (const int blocks : counts) {
      panel.points.push_back(measure(session, square, 0, path, {blocks, 128}, sums));
      panel.points.back().x = blocks;
      panel.points.back().variant = path_names[path];
    }
  return panel;
}

template <class T>
void verify(Session& session) {
  Backend& backend = session.backend();
  for (const int size : {1, 4, 64, 128}) {
    const Square<T> square(backend, size);
    for (const Blocks grid : {Blocks{1, 16}, {3, 33}, {7, 100}, {200, 64}}) {
      const Array<float> sums(backend, grid.size());
      for (std::size_t walk = 0; walk < kinds.size(); ++walk)
        for (std::size_t path = 0; path < path_names.size(); ++path) {
          spoil(backend, sums);
          walks<T>[walk](backend, square, path, grid, sums);
          session.check(mismatches_on_host(sums, WalkSum{kinds[walk], size, Square<T>::lanes, grid}) == 0, "texture",
                        walk_variant(element_name<T>, walk_names[walk], path_names[path]), "sums differ");
        }
    }
  }
}

}  // namespace

Panels measure_walks(Session& session) {
  constexpr int side = 8192, side4 = side / 2;  // the lecture's size: 256 MiB of each
  const Array<float> sums(session.backend(), std::int64_t{side} * 1024);
  Best best;
  Panel at_then{"then", "At the grids that were best on a GeForce 8800 GTX", "", "GB/s read"};
  Panels panels;
  {
    const Square<float> square(session.backend(), side);
    search(session, square, sums, best);
    then(session, square, sums, {4096, 64}, {4096, 64}, at_then);
    panels = {over_threads(session, square, sums), over_blocks(session, square, sums)};
  }
  const Square<float4> square(session.backend(), side4);
  search(session, square, sums, best);
  then(session, square, sums, {2048, 32}, {1024, 64}, at_then);
  const double copy = session.machine().copy;
  for (Panel* const panel : {&best.rates, &at_then, &panels[0], &panels[1]})
    panel->guides = {{"device copy, read and written", {{panel->points.front().x, copy}}}};
  for (Panel* const panel : {&best.rates, &best.threads, &best.blocks, &at_then}) panels.push_back(std::move(*panel));
  return panels;
}

void verify_walks(Session& session) {
  verify<float>(session);
  verify<float4>(session);
}

}  // namespace poisson::lab
