#include <array>
#include <cstring>
#include <type_traits>

#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/studies.hpp"
#include "lab/studies/vectorize/kernels.hpp"
#include "lab/studies/vectorize/study.hpp"

namespace poisson::lab {
namespace {

constexpr int block_x = 32, block_y = 8;

// One instruction loads or stores `lanes` successive floats at an aligned address.
template <int lanes>
struct Lanes {
  using Vector = std::conditional_t<lanes == 1, float, std::conditional_t<lanes == 2, float2, float4>>;
  float value[lanes];

  static __device__ Lanes load(const float* from) {
    const Vector vector = *reinterpret_cast<const Vector*>(from);
    Lanes lanes_of_vector;
    std::memcpy(lanes_of_vector.value, &vector, sizeof vector);
    return lanes_of_vector;
  }
  __device__ void store(float* to) const {
    Vector vector;
    std::memcpy(&vector, value, sizeof vector);
    *reinterpret_cast<Vector*>(to) = vector;
  }
};

// Computes up to `planes` points along z for each of `lanes` points along x, starting at (i, j, k). The values of a
// plane are those below the next one, so u is loaded once along z. Neighbours along x and y come from the caches.
template <int lanes, int planes>
__device__ void sweep_column(const GridMemory& memory, const float* u, const float* f, float* swept, int i, int j,
                             int k) {
  const std::int64_t line = memory.pitch, plane = memory.plane();
  std::int64_t at = memory.at(i, j, k);
  auto below = Lanes<lanes>::load(u + at - plane), here = Lanes<lanes>::load(u + at);
#pragma unroll
  for (int p = 0; p < planes; ++p, at += plane) {
    if (k + p >= memory.n[2]) return;
    const auto above = Lanes<lanes>::load(u + at + plane), south = Lanes<lanes>::load(u + at - line),
               north = Lanes<lanes>::load(u + at + line), source = Lanes<lanes>::load(f + at);
    const float west = u[at - 1], east = u[at + lanes];
    Lanes<lanes> result;
#pragma unroll
    for (int l = 0; l < lanes; ++l)
      result.value[l] = jacobi_point(l == 0 ? west : here.value[l == 0 ? 0 : l - 1],
                                     l == lanes - 1 ? east : here.value[l == lanes - 1 ? l : l + 1], south.value[l],
                                     north.value[l], below.value[l], above.value[l], source.value[l]);
    result.store(swept + at);
    below = here;
    here = above;
  }
}

template <int lanes, int planes>
__global__ void __launch_bounds__(block_x* block_y)
    sweep_kernel(GridMemory memory, const float* __restrict__ u, const float* __restrict__ f,
                 float* __restrict__ swept) {
  const int i = static_cast<int>(blockIdx.x * block_x + threadIdx.x) * lanes;
  const int j = static_cast<int>(blockIdx.y * block_y + threadIdx.y), k = static_cast<int>(blockIdx.z) * planes;
  if (i >= memory.n[0] || j >= memory.n[1]) return;
  if (i + lanes <= memory.n[0])
    sweep_column<lanes, planes>(memory, u, f, swept, i, j, k);
  else
    for (int x = i; x < memory.n[0]; ++x) sweep_column<1, planes>(memory, u, f, swept, x, j, k);
}

// Owns grids in the memory of a device.
struct Grids {
  GridMemory memory;
  Array<float> u, f;
  Array<std::uint32_t> swept;  // bits, comparable with poison

  Grids(Backend& backend, const Layout& layout)
      : memory(memory_of(layout)),
        u(backend, memory.allocated),
        f(backend, memory.allocated),
        swept(backend, memory.allocated) {
    fill(backend, u, GridNoise{memory, 0});
    fill(backend, f, GridNoise{memory, 1});
  }
};

template <int lanes, int planes>
void sweep(Backend& backend, const Grids& grids) {
  const auto blocks = [](int points, int per_block) {
    return static_cast<unsigned>((points + per_block - 1) / per_block);
  };
  const GridMemory& memory = grids.memory;
  const dim3 grid(blocks(memory.n[0], block_x * lanes), blocks(memory.n[1], block_y), blocks(memory.n[2], planes));
  const cudaStream_t stream = stream_of(backend);
  sweep_kernel<lanes, planes><<<grid, dim3(block_x, block_y), 0, stream>>>(
      memory, grids.u.data(), grids.f.data(), reinterpret_cast<float*>(grids.swept.data()));
  cuda::launched(stream);
}

struct SweepVariant {
  const char* name;
  int points;  // per thread
  void (*sweep)(Backend&, const Grids&);
};
template <int lanes, int planes>
constexpr SweepVariant variant() {
  return {lanes == 1 ? "float" : lanes == 2 ? "float2" : "float4", lanes * planes, sweep<lanes, planes>};
}
constexpr std::array variants{variant<1, 1>(), variant<1, 2>(), variant<1, 4>(), variant<1, 8>(), variant<2, 1>(),
                              variant<2, 2>(), variant<2, 4>(), variant<4, 1>(), variant<4, 2>()};

Panels measure(Session& session) {
  verify_vectorize(session);
  Backend& backend = session.backend();
  const double copy = 1e-9 * session.copy_bandwidth();
  const Grids grids(backend, {{512, 512, 512}, {}});
  Panel panel{"sweep", "Jacobi sweep with 7 points over 512³ floats", "points per thread", "GB/s of 12 bytes per point",
              true};
  for (const SweepVariant& v : variants) {
    spoil(backend, grids.swept);
    v.sweep(backend, grids);
    session.check(mismatches(backend, grids.swept, grids.memory.allocated, SweptWord{grids.memory}) == 0, "vectorize",
                  v.name, "points differ");
    const Timing seconds = session.time([&] { v.sweep(backend, grids); });
    panel.points.push_back(
        {v.name, 1.0 * v.points, seconds, 1e-9 * jacobi_bytes * static_cast<double>(grids.memory.points()) / seconds});
  }
  panel.guides = {{"device copy", {{1, copy}}}};
  return {panel};
}

}  // namespace

void verify_vectorize(Session& session) {
  using Shape = std::array<int, 3>;
  for (const Shape& n : {Shape{2, 2, 2}, {3, 2, 7}, {37, 19, 11}, {64, 8, 8}, {129, 9, 5}, {131, 17, 9}}) {
    const Grids grids(session.backend(), {n, {}});
    for (const SweepVariant& v : variants) {
      spoil(session.backend(), grids.swept);
      v.sweep(session.backend(), grids);
      session.check(mismatches_on_host(grids.swept, SweptWord{grids.memory}) == 0, "vectorize", v.name,
                    "points differ");
    }
  }
}

constexpr std::array lectures{Lecture::goeddeke};

const Study vectorize_study{
    .name = "vectorize",
    .question = "Do wide loads and several points per thread bring a stencil sweep to the speed of a copy?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine& machine) { return conclude_vectorize(panels, machine.copy); },
};

}  // namespace poisson::lab
