#include <algorithm>
#include <array>
#include <map>

#include "lab/harness/read.cuh"
#include "lab/studies/access/kernels.hpp"
#include "lab/studies/access/texture.cuh"

namespace poisson::lab {
namespace {

constexpr int in_flight = 4;

// Noise in memory and as a texture.
template <class T>
struct Source {
  static constexpr int lanes = static_cast<int>(sizeof(T) / sizeof(float));
  Array<float> floats;
  LinearTexture<T> texture;

  Source(Backend& backend, std::int64_t elements)
      : floats(backend, elements * lanes), texture(floats.data(), floats.bytes()) {
    fill(backend, floats, NoiseFloat{});
  }
  const T* data() const { return reinterpret_cast<const T*>(floats.data()); }
};

// The load paths: functors that a kernel reads one element with.
template <class T>
struct Plain : PlainRead<T> {
  explicit Plain(const Source<T>& source) : PlainRead<T>{source.data()} {}
};
template <class T>
struct ReadOnly {
  const T* data;
  explicit ReadOnly(const Source<T>& source) : data(source.data()) {}
  __device__ T operator()(std::int64_t i) const { return __ldg(data + i); }
};
template <class T>
struct Texture {
  cudaTextureObject_t texture;
  explicit Texture(const Source<T>& source) : texture(source.texture.object()) {}
  __device__ T operator()(std::int64_t i) const { return tex1Dfetch<T>(texture, static_cast<int>(i)); }
};

template <class T>
using Read = void (*)(Backend&, const Source<T>&, const Matrix&, Grid, const Array<float>& sums);

template <class T, Direction direction, template <class> class Path>
void read_all(Backend& backend, const Source<T>& source, const Matrix& matrix, Grid grid, const Array<float>& sums) {
  const cudaStream_t stream = cuda_of(backend).stream();
  read_kernel<T, direction, in_flight>
      <<<static_cast<unsigned>(grid.blocks), static_cast<unsigned>(grid.threads), 0, stream>>>(Path<T>(source), matrix,
                                                                                               sums.data());
  cuda::launched(stream);
}

template <class T>
struct LoadPath {
  const char* name;
  std::array<Read<T>, 2> read;  // by direction
};
template <class T, template <class> class Path>
constexpr LoadPath<T> load_path(const char* name) {
  return {name, {read_all<T, Direction::rows, Path>, read_all<T, Direction::columns, Path>}};
}
template <class T>
constexpr std::array<LoadPath<T>, 3> load_paths{load_path<T, Plain>("plain"), load_path<T, ReadOnly>("read-only"),
                                                load_path<T, Texture>("texture")};
template <class T>
const LoadPath<T>& texture_path = load_paths<T>.back();

template <class T>
std::string element_name() {
  return Source<T>::lanes == 1 ? "float" : "float4";
}
constexpr std::array directions{Direction::rows, Direction::columns};
constexpr const char* name_of(Direction direction) {
  return direction == Direction::rows ? "rows" : "columns";
}
template <class T>
Read<T> function(const LoadPath<T>& path, Direction direction) {
  return path.read[static_cast<std::size_t>(direction)];
}

// Verified on the device, then timed; value: GB/s.
template <class T>
Point measure(Session& session, const std::string& variant, const LoadPath<T>& path, Direction direction,
              const Source<T>& source, const Matrix& matrix, Grid grid, const Array<float>& sums) {
  Backend& backend = session.backend();
  const auto read = function(path, direction);
  const std::int64_t count = readers(matrix, grid.size());
  spoil(backend, sums);
  read(backend, source, matrix, grid, sums);
  const ThreadSum oracle{matrix, direction, Source<T>::lanes, grid.size()};
  session.check(mismatches(backend, sums, count, oracle) == 0, "access", variant, "sums differ");
  const double seconds = session.time([&] { read(backend, source, matrix, grid, sums); });
  return {variant, 0, seconds, 1e-9 * bytes_read(matrix, Source<T>::lanes, grid.size()) / seconds};
}

// A matrix of rows of 64 KiB that no cache holds.
template <class T>
Matrix large_matrix(std::size_t bytes) {
  const std::int64_t columns = (64 << 10) / static_cast<std::int64_t>(sizeof(T));
  return {static_cast<std::int64_t>(bytes / sizeof(T)) / columns, columns};
}

template <class T>
void measure_paths(Session& session, std::array<Panel, 2>& panels) {
  const Matrix matrix = large_matrix<T>(session.beyond_caches() / 2);
  const Source<T> source(session.backend(), matrix.size());
  const Grid grid{4096, 256};
  const Array<float> sums(session.backend(), grid.size());
  for (const Direction direction : directions)
    for (const LoadPath<T>& path : load_paths<T>) {
      Panel& panel = panels[static_cast<std::size_t>(direction)];
      panel.points.push_back(
          measure(session, element_name<T>() + ", " + path.name, path, direction, source, matrix, grid, sums));
      panel.points.back().x = static_cast<double>(matrix.rows);
    }
}

std::vector<int> powers_of_two(int first, int last, int factor) {
  std::vector<int> values;
  for (int value = first; value <= last; value *= factor) values.push_back(value);
  return values;
}

// All grids: each number of threads with its best number of blocks, and each number of blocks with its best of threads.
template <class T>
void search_grids(Session& session, Panel& by_threads, Panel& by_blocks) {
  const Matrix matrix = large_matrix<T>(session.beyond_caches() / 4);
  const Source<T> source(session.backend(), matrix.size());
  const Array<float> sums(session.backend(), matrix.size());
  const std::vector<int> threads = session.quick() ? std::vector{32, 128, 256, 1024} : powers_of_two(16, 1024, 2);
  const std::vector<int> blocks = session.quick() ? std::vector{256, 4096, 65536} : powers_of_two(16, 65536, 2);
  for (const Direction direction : directions) {
    const std::string variant = element_name<T>() + ", " + name_of(direction);
    std::map<int, Point> best_of_threads, best_of_blocks;
    for (const int t : threads)
      for (const int b : blocks) {
        Point point = measure(session, variant, texture_path<T>, direction, source, matrix, {b, t}, sums);
        for (auto [best, x] : {std::pair{&best_of_threads, t}, std::pair{&best_of_blocks, b}}) {
          point.x = x;
          Point& kept = best->try_emplace(x, point).first->second;
          if (point.value > kept.value) kept = point;
        }
      }
    for (const auto& [x, point] : best_of_threads) by_threads.points.push_back(point);
    for (const auto& [x, point] : best_of_blocks) by_blocks.points.push_back(point);
  }
}

template <class T>
void verify_paths(Session& session) {
  Backend& backend = session.backend();
  for (const Matrix matrix : {Matrix{1, 1}, {37, 19}, {5, 301}, {301, 5}, {64, 64}}) {
    const Source<T> source(backend, matrix.size());
    for (const Grid grid : {Grid{1, 16}, {3, 33}, {2, 128}, {7, 1024}})
      for (const Direction direction : directions)
        for (const LoadPath<T>& path : load_paths<T>) {
          const Array<float> sums(backend, readers(matrix, grid.size()));
          spoil(backend, sums);
          function(path, direction)(backend, source, matrix, grid, sums);
          const ThreadSum oracle{matrix, direction, Source<T>::lanes, grid.size()};
          session.check(mismatches_on_host(sums, oracle) == 0, "access", path.name, "sums differ");
        }
  }
}

}  // namespace

std::vector<Panel> measure_traversals(Session& session) {
  std::array<Panel, 2> paths{
      Panel{"rows", "Reading a matrix along its rows", "rows of 64 KiB", "GB/s"},
      Panel{"columns", "Reading a matrix down its columns", "rows of 64 KiB", "GB/s"},
  };
  measure_paths<float>(session, paths);
  measure_paths<float4>(session, paths);
  Panel by_threads{"threads", "Texture reads by block size, each with its best number of blocks", "threads per block",
                   "GB/s", true};
  Panel by_blocks{"blocks", "Texture reads by number of blocks, each with its best block size", "blocks", "GB/s", true};
  search_grids<float>(session, by_threads, by_blocks);
  search_grids<float4>(session, by_threads, by_blocks);
  std::vector<Panel> panels{paths[0], paths[1], by_threads, by_blocks};
  for (Panel& panel : panels)
    panel.guides = {{"device copy", {{panel.points.front().x, 1e-9 * session.copy_bandwidth()}}}};
  return panels;
}

void verify_traversals(Session& session) {
  verify_paths<float>(session);
  verify_paths<float4>(session);
}

}  // namespace poisson::lab
