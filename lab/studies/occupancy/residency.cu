// Measures resident warps by the size of blocks and by their shared memory, as the runtime predicts and as a kernel
// counts them.

#include <algorithm>
#include <vector>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/verify.cuh"
#include "lab/studies/occupancy/kernels.hpp"
#include "lab/studies/occupancy/study.hpp"

namespace poisson::lab {
namespace {

// Sets out[i] = in[i] with one thread and one load per element, so that only warps hide the latency. Blocks own dynamic
// shared memory that they do not access.
__global__ void copy_kernel(const std::uint32_t* in, std::uint32_t* out, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

// Counts the blocks of this launch that a multiprocessor runs concurrently. Each block adds itself to `present`, waits
// until others had time to start, and stores the largest count that it saw in `most`. Both arrays have an entry for
// each multiprocessor and are zero at first.
__global__ void census_kernel(unsigned* present, unsigned* most, long long clocks) {
  if (threadIdx.x == 0) {
    unsigned here = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
    unsigned seen = atomicAdd(&present[here], 1u) + 1;
    const long long start = clock64();
    while (clock64() - start < clocks) seen = max(seen, atomicAdd(&present[here], 0u));
    atomicMax(&most[here], seen);
    atomicSub(&present[here], 1u);
  }
  __syncthreads();  // a finished warp would free its slot, so all wait for the counting one
}

struct Shape {
  int threads, shared_bytes;
};

void allow_shared_memory(const void* kernel, int bytes) {
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

int predicted_blocks(const Shape& shape) {
  int blocks = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, copy_kernel, shape.threads,
                                                            static_cast<std::size_t>(shape.shared_bytes)));
  return blocks;
}

// Returns the largest number of concurrent blocks of any multiprocessor, over some rounds of the grid.
int counted_blocks(Session& session, const Shape& shape) {
  constexpr int identifiers = 1024;  // exceeds every device's number of multiprocessors
  constexpr long long clocks = 200'000;
  Backend& backend = session.backend();
  const Array<unsigned> present(backend, identifiers), most(backend, identifiers);
  const cudaStream_t stream = stream_of(backend);
  const int blocks = 2 * multiprocessors() * std::max(1, predicted_blocks(shape));
  census_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(shape.threads),
                  static_cast<std::size_t>(shape.shared_bytes), stream>>>(present.data(), most.data(), clocks);
  cuda::launched(stream);
  unsigned largest = 0;
  for (const unsigned of_one : most.host()) largest = std::max(largest, of_one);
  return static_cast<int>(largest);
}

struct Arrays {
  Array<std::uint32_t> in, out;
  Arrays(Backend& backend, std::int64_t count) : in(backend, count), out(backend, count) { fill(backend, in, Noise{}); }
};

void copy(Backend& backend, const Arrays& arrays, const Shape& shape) {
  const cudaStream_t stream = stream_of(backend);
  const std::int64_t count = arrays.in.size();
  copy_kernel<<<static_cast<unsigned>((count + shape.threads - 1) / shape.threads),
                static_cast<unsigned>(shape.threads), static_cast<std::size_t>(shape.shared_bytes), stream>>>(
      arrays.in.data(), arrays.out.data(), count);
  cuda::launched(stream);
}

void add_places(Session& session, const Arrays& arrays, const std::vector<Shape>& shapes, bool over_threads,
                Panel& warps, Panel& rates) {
  Backend& backend = session.backend();
  for (const Shape& shape : shapes) {
    const double x = over_threads ? shape.threads : shape.shared_bytes;
    const int blocks = counted_blocks(session, shape), predicted = predicted_blocks(shape);
    spoil(backend, arrays.out);
    copy(backend, arrays, shape);
    session.check(mismatches(backend, arrays.out, arrays.out.size(), Noise{}) == 0, "occupancy", "copy",
                  "elements differ");
    const Timing seconds = session.time([&] { copy(backend, arrays, shape); });
    // A partial warp occupies the slot of a full one.
    const double per_block = (shape.threads + 31) / 32;
    session.check(blocks * per_block * 32 <= device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor), "occupancy",
                  "census", "more warps than a multiprocessor has places for");
    warps.points.push_back({resident_warps, x, seconds.median, blocks * per_block});
    warps.points.push_back({predicted_warps, x, seconds.median, predicted * per_block});
    rates.points.push_back({copied, x, seconds, 2e-9 * static_cast<double>(arrays.in.bytes()) / seconds});
  }
}

}  // namespace

Panels measure_residency(Session& session) {
  const Arrays arrays(session.backend(),
                      static_cast<std::int64_t>(session.beyond_caches() / 4 / sizeof(std::uint32_t)));
  const int most_shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  for (const void* const kernel :
       {reinterpret_cast<const void*>(copy_kernel), reinterpret_cast<const void*>(census_kernel)})
    allow_shared_memory(kernel, most_shared);

  Panel by_size{"block-size", "Warps that are resident at once, by the size of blocks", "threads per block",
                "resident warps per multiprocessor"};
  Panel size_rates{"block-size-copy", "A copy with one load per thread, by the size of blocks", "threads per block",
                   "GB/s read and written"};
  std::vector<Shape> sizes;
  for (const int threads : session.quick() ? std::vector{32, 96, 192, 256, 1024}
                                           : std::vector{32,  48,  64,  96,  128, 160, 192, 224, 256, 320, 384,
                                                         448, 512, 576, 640, 704, 768, 832, 896, 960, 1024})
    sizes.push_back({threads, 0});
  add_places(session, arrays, sizes, true, by_size, size_rates);

  Panel by_memory{"shared-memory", "Warps that are resident at once, in blocks of 256 threads",
                  "bytes of shared memory per block", "resident warps per multiprocessor"};
  Panel memory_rates{"shared-memory-copy", "A copy with one load per thread, in blocks of 256 threads",
                     "bytes of shared memory per block", "GB/s read and written"};
  std::vector<Shape> amounts;
  for (const int kibibytes :
       session.quick() ? std::vector{0, 24, 64, 192}
                       : std::vector{0, 8, 16, 24, 27, 28, 32, 37, 44, 56, 74, 75, 96, 112, 113, 160, 192, 227})
    if (kibibytes << 10 <= most_shared) amounts.push_back({256, kibibytes << 10});
  add_places(session, arrays, amounts, false, by_memory, memory_rates);
  for (Panel* const panel : {&size_rates, &memory_rates})
    panel->guides = {{"device copy", {{panel->points.front().x, session.machine().copy}}}};
  return {by_size, size_rates, by_memory, memory_rates};
}

void verify_residency(Session& session) {
  for (const std::int64_t count : {1, 255, 100003}) {
    const Arrays arrays(session.backend(), count);
    for (const Shape& shape : {Shape{32, 0}, {48, 1024}, {256, 40000}, {1024, 0}}) {
      spoil(session.backend(), arrays.out);
      copy(session.backend(), arrays, shape);
      session.check(mismatches_on_host(arrays.out, Noise{}) == 0, "occupancy", "copy", "elements differ");
    }
  }
}

}  // namespace poisson::lab
