// Moves tiles of a line to shared memory by loads and stores, by asynchronous copies of 16 bytes, and by the bulk-copy
// engine.

#include <array>
#include <cstdint>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/staging/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 256;
// A tile includes its neighbours on both sides. Its size and its start are multiples of 16 bytes.
constexpr int staged_values = tile_values + 2 * stencil_reach;
static_assert(staged_values % 4 == 0 && tile_values % threads == 0);

__device__ float stencil(const float* centre) {
  float sum = 0;
#pragma unroll
  for (int k = -stencil_reach; k <= stencil_reach; ++k) sum += stencil_weight(k) * centre[k];
  return sum;
}

// `in` points to the value `reach` before the first point. The points of a thread are a block's width apart.
__global__ void __launch_bounds__(threads) plain_kernel(const float* __restrict__ in, float* __restrict__ out) {
  const std::int64_t first = std::int64_t{blockIdx.x} * tile_values + threadIdx.x;
#pragma unroll
  for (int i = 0; i < tile_values; i += threads) out[first + i] = stencil(in + first + i + stencil_reach);
}

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// These move the values of a tile to shared memory: begin(stage, …) starts a copy, and await(stage, …) waits until all
// threads may read the values. `stages` tiles are in flight.

struct Loads {
  template <int stages>
  struct Bars {};
  template <int stages>
  static __device__ void prepare(Bars<stages>&) {}
  template <int stages>
  static __device__ void begin(Bars<stages>&, int, float* to, const float* from) {
    for (int i = static_cast<int>(threadIdx.x); i < staged_values / 4; i += threads)
      reinterpret_cast<float4*>(to)[i] = reinterpret_cast<const float4*>(from)[i];
  }
  template <int stages>
  static __device__ void await(Bars<stages>&, int, int) {
    __syncthreads();
  }
};

struct Async {
  template <int stages>
  struct Bars {};
  template <int stages>
  static __device__ void prepare(Bars<stages>&) {}
  template <int stages>
  static __device__ void begin(Bars<stages>&, int, float* to, const float* from) {
    for (int i = static_cast<int>(threadIdx.x); i < staged_values / 4; i += threads)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + 4 * i)), "l"(from + 4 * i)
                   : "memory");
  }
  // Every turn commits one group, possibly empty: all but the latest stages − 1 groups have arrived.
  template <int stages>
  static __device__ void await(Bars<stages>&, int, int) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
    __syncthreads();
  }
};

struct Bulk {
  template <int stages>
  struct Bars {
    std::uint64_t* of_stage;
  };
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  template <int stages>
  static __device__ void prepare(Bars<stages>& bars) {
    __shared__ std::uint64_t memory[stages];
    bars.of_stage = memory;
    if (threadIdx.x == 0) {
      for (int s = 0; s < stages; ++s)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(memory + s)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
  }
  template <int stages>
  static __device__ void begin(Bars<stages>& bars, int stage, float* to, const float* from) {
    if (threadIdx.x != 0) return;
    constexpr int bytes = staged_values * static_cast<int>(sizeof(float));
    const unsigned bar = shared_address(bars.of_stage + stage);
    // The fence keeps writes of the engine behind earlier reads of this stage.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(bar)
                 : "memory");
  }
  template <int stages>
  static __device__ void await(Bars<stages>& bars, int stage, int parity) {
    unsigned done = 0;
    while (done == 0)
      asm volatile(
          "{\n"
          ".reg .pred p;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n"
          "}"
          : "=r"(done)
          : "r"(shared_address(bars.of_stage + stage)), "r"(parity)
          : "memory");
  }
#else
  template <int stages>
  static __device__ void prepare(Bars<stages>&) {}
  template <int stages>
  static __device__ void begin(Bars<stages>&, int, float*, const float*) {}
  template <int stages>
  static __device__ void await(Bars<stages>&, int, int) {}
#endif
};

template <class Way>
inline constexpr bool commits = false;
template <>
inline constexpr bool commits<Async> = true;

// Blocks process the tiles b, b + blocks, …; `stages` of them are in flight, each in its own part of shared memory.
template <class Way, int stages>
__global__ void __launch_bounds__(threads)
    tile_kernel(const float* __restrict__ in, float* __restrict__ out, int tiles) {
  extern __shared__ float4 memory[];
  float* const staged = reinterpret_cast<float*>(memory);
  typename Way::template Bars<stages> bars;
  Way::template prepare<stages>(bars);
  const int first = static_cast<int>(blockIdx.x), step = static_cast<int>(gridDim.x);
  const auto begin = [&](int turn) {
    const std::int64_t tile = first + std::int64_t{turn} * step;
    if (tile < tiles)
      Way::template begin<stages>(bars, turn % stages, staged + turn % stages * staged_values, in + tile * tile_values);
    if constexpr (commits<Way>) asm volatile("cp.async.commit_group;" ::: "memory");
  };
  // While turn t waits for its stage, the next stages − 1 turns are in flight.
  for (int turn = 0; turn < stages; ++turn) begin(turn);
  for (int turn = 0; first + std::int64_t{turn} * step < tiles; ++turn) {
    const int stage = turn % stages;
    Way::template await<stages>(bars, stage, turn / stages % 2);
    const float* const tile = staged + stage * staged_values + stencil_reach;
    const std::int64_t at = (first + std::int64_t{turn} * step) * tile_values;
#pragma unroll
    for (int i = 0; i < tile_values; i += threads) out[at + i + threadIdx.x] = stencil(tile + i + threadIdx.x);
    __syncthreads();  // all threads have read the stage that is filled next
    begin(turn + stages);
  }
}

struct Line {
  Array<float> in, out;
  int tiles;
  Line(Backend& backend, int count)
      : in(backend, std::int64_t{count} * tile_values + 2 * stencil_reach),
        out(backend, std::int64_t{count} * tile_values),
        tiles(count) {
    fill(backend, in, NoiseFloat{});
  }
};

void plain(Backend& backend, const Line& line) {
  const cudaStream_t stream = stream_of(backend);
  plain_kernel<<<static_cast<unsigned>(line.tiles), threads, 0, stream>>>(line.in.data(), line.out.data());
  cuda::launched(stream);
}

template <class Way, int stages>
void by_tiles(Backend& backend, const Line& line) {
  constexpr int bytes = stages * staged_values * static_cast<int>(sizeof(float));
  const auto kernel = tile_kernel<Way, stages>;
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  int fitting = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, kernel, threads, bytes));
  const int blocks = std::min(line.tiles, fitting * multiprocessors());
  const cudaStream_t stream = stream_of(backend);
  kernel<<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(line.in.data(), line.out.data(), line.tiles);
  cuda::launched(stream);
}

struct Variant {
  std::string_view name;
  int stages;
  void (*run)(Backend&, const Line&);
  bool engine = false;  // needs compute capability 9.0
};
constexpr std::array variants{
    Variant{by_caches, 1, plain},
    Variant{by_loads, 1, by_tiles<Loads, 1>},
    Variant{by_async, 1, by_tiles<Async, 1>},
    Variant{by_async, 2, by_tiles<Async, 2>},
    Variant{by_async, 3, by_tiles<Async, 3>},
    Variant{by_async, 4, by_tiles<Async, 4>},
    Variant{by_bulk, 1, by_tiles<Bulk, 1>, true},
    Variant{by_bulk, 2, by_tiles<Bulk, 2>, true},
    Variant{by_bulk, 3, by_tiles<Bulk, 3>, true},
    Variant{by_bulk, 4, by_tiles<Bulk, 4>, true},
};

Panels measure(Session& session) {
  Backend& backend = session.backend();
  const bool engine = device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
  for (const int tiles : {1, 2, 5, 3000}) {
    const Line line(backend, tiles);
    for (const Variant& variant : variants) {
      if (variant.engine && !engine) continue;
      spoil(backend, line.out);
      variant.run(backend, line);
      session.check(mismatches(backend, line.out, line.out.size(), LineStencil{}) == 0, "staging", variant.name,
                    "values differ in " + std::to_string(tiles) + " tiles");
    }
  }
  const Line line(backend, static_cast<int>(session.beyond_caches() / 2 / sizeof(float) / tile_values));
  Panel panel{"stages", "A stencil of 9 points along a line, fp32", "tiles under way in a block",
              "GB/s read and written"};
  for (const Variant& variant : variants) {
    if (variant.engine && !engine) continue;
    spoil(backend, line.out);
    variant.run(backend, line);
    session.check(mismatches(backend, line.out, line.out.size(), LineStencil{}) == 0, "staging", variant.name,
                  "values differ");
    const Timing seconds = session.time([&] { variant.run(backend, line); });
    panel.points.push_back({std::string(variant.name), static_cast<double>(variant.stages), seconds,
                            2e-9 * static_cast<double>(line.out.bytes()) / seconds});
  }
  panel.guides = {{"device copy", {{1, session.machine().copy}}}};
  return {panel};
}

constexpr std::array lectures{Lecture::today};

}  // namespace

const Study staging_study{
    .name = "staging",
    .question = "Do asynchronous copies to shared memory bring a stencil nearer to the speed of a copy?",
    .lectures = lectures,
    .measure = measure,
    .conclude = conclude_staging,
};

}  // namespace poisson::lab
