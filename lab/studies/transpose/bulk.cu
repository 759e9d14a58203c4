// Transposes with the bulk-copy engine (the tensor memory accelerator, compute capability 9.0 or newer). One thread
// requests a tile, the hardware computes all addresses, and another request writes the tile back. Threads only
// transpose within shared memory.

#include <array>
#include <bit>
#include <cstdint>

#include <cuda.h>

#include "backends/cuda/words.cuh"
#include "backends/memory/error.hpp"
#include "lab/harness/stream.cuh"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

constexpr int box_side = 64, bulk_threads = 256;
constexpr int line = 128;  // bytes: the engine swizzles boxes of this width

// Shared memory stores a tile of box_side × box_side elements as consecutive boxes of 128 bytes × box_side rows. In
// each box the 16-byte word w of row r is at word w ^ (r % 8) of the row: the engine's 128-byte swizzle.
template <class T>
struct BoxedTile {
  static constexpr int width = line / sizeof(T);  // elements per row
  static constexpr int boxes = box_side / width;
  static constexpr int bytes = box_side * box_side * sizeof(T);
  uint4 word[boxes][box_side][line / 16];

  // Returns the word that contains the elements from w·n of row r.
  __device__ uint4& at(int r, int w) { return word[w / 8][r][w % 8 ^ r % 8]; }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
// The barrier expects one thread and `bytes` bytes from the engine.
__device__ void expect(std::uint64_t& barrier, int bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // makes the barrier visible to the engine
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
__device__ void wait(std::uint64_t& barrier) {
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(done)
        : "r"(shared_address(&barrier))
        : "memory");
}
// Elements outside the matrix are loaded as zero and not stored.
__device__ void load_box(void* to, const CUtensorMap& map, int column, int row, int matrix, std::uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(column), "r"(row), "r"(matrix), "r"(shared_address(&barrier))
      : "memory");
}
__device__ void store_box(const void* from, const CUtensorMap& map, int column, int row, int matrix) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
               "r"(column), "r"(row), "r"(matrix), "r"(shared_address(from))
               : "memory");
}
#endif

// Transposes between tiles of shared memory. A thread processes units of n × n elements. Eight neighbours follow a
// diagonal (i = l ^ s, j = l), which makes both their reads and their writes free of bank conflicts.
template <class T>
__device__ void transpose_tile(BoxedTile<T>& from, BoxedTile<T>& to) {
  constexpr int n = 16 / sizeof(T);  // elements per word
  constexpr int across = box_side / n, units = across * across;
  using Elements = cuda::Pack<T, n>;
#pragma unroll
  for (int unit = static_cast<int>(threadIdx.x); unit < units; unit += bulk_threads) {
    const int l = unit % 8, s = unit / 8 % 8, square = unit / 64;
    const int i = square / (across / 8) * 8 + (l ^ s), j = square % (across / 8) * 8 + l;
    Elements rows[n];
#pragma unroll
    for (int m = 0; m < n; ++m) rows[m] = std::bit_cast<Elements>(from.at(i * n + m, j));
#pragma unroll
    for (int k = 0; k < n; ++k) {
      Elements column;
#pragma unroll
      for (int m = 0; m < n; ++m) column.value[m] = rows[m].value[k];
      to.at(j * n + k, i) = std::bit_cast<uint4>(column);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(bulk_threads)
    bulk_kernel(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int down,
                int across) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  constexpr int group = 16;  // rows of tiles that blocks fill before they continue, as in the library's kernel
  using Tile = BoxedTile<T>;
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barrier;
  // Swizzled boxes begin on multiples of 1024 bytes.
  auto* const aligned = memory + (1024 - shared_address(memory) % 1024) % 1024;
  Tile &read = *reinterpret_cast<Tile*>(aligned), &written = *reinterpret_cast<Tile*>(aligned + Tile::bytes);

  const int matrix = static_cast<int>(blockIdx.x) / (down * across),
            tile = static_cast<int>(blockIdx.x) % (down * across);
  const int first = tile / (group * across) * group, height = min(group, down - first);
  const int row = (first + tile % (group * across) % height) * box_side,
            column = tile % (group * across) / height * box_side;

  if (threadIdx.x == 0) {
    expect(barrier, Tile::bytes);
    for (int box = 0; box < Tile::boxes; ++box)
      load_box(&read.word[box], from, column + box * Tile::width, row, matrix, barrier);
  }
  __syncthreads();  // initializes the barrier before anyone waits
  wait(barrier);
  transpose_tile(read, written);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // makes writes of threads visible to the engine
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int box = 0; box < Tile::boxes; ++box)
      store_box(&written.word[box], to, row + box * Tile::width, column, matrix);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::
                     : "memory");  // shared memory must live until the engine has read
                                   // it
  }
#endif
}

// Returns the driver's function that describes an array to the engine, or nullptr if the driver is too old.
decltype(&cuTensorMapEncodeTiled) encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  cuda::check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
  cuda::check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

// Describes rows × columns elements, with rows `pitch` and matrices `stride` elements apart, in boxes of 128 bytes ×
// box_side.
template <class T>
CUtensorMap describe(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t pitch, std::int64_t batch,
                     std::int64_t stride) {
  CUtensorMap map{};
  const std::array sizes{static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows),
                         static_cast<cuuint64_t>(batch)};
  const std::array strides{static_cast<cuuint64_t>(pitch) * sizeof(T),
                           static_cast<cuuint64_t>(batch > 1 ? stride : pitch * rows) * sizeof(T)};
  const std::array box{static_cast<cuuint32_t>(BoxedTile<T>::width), static_cast<cuuint32_t>(box_side), cuuint32_t{1}};
  const std::array<cuuint32_t, 3> steps{1, 1, 1};
  const CUresult status = encoder()(
      &map, sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64, 3,
      const_cast<void*>(data), sizes.data(), strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw RunError("the bulk-copy engine refuses a matrix of " + std::to_string(rows) + " x " +
                   std::to_string(columns) + " (CUDA status " + std::to_string(static_cast<int>(status)) +
                   "): leave this variant out");
  return map;
}

template <class T>
void launch_as(cudaStream_t stream, const Transposition& s, const void* from, void* to) {
  constexpr int memory = 2 * BoxedTile<T>::bytes + 1024;
  cuda::check(cudaFuncSetAttribute(bulk_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  const auto tiles = [](std::int64_t extent) { return static_cast<int>((extent + box_side - 1) / box_side); };
  const int down = tiles(s.rows), across = tiles(s.columns);
  bulk_kernel<T><<<static_cast<unsigned>(std::int64_t{down} * across * s.batch), bulk_threads, memory, stream>>>(
      describe<T>(from, s.rows, s.columns, s.from_pitch, s.batch, s.from_stride),
      describe<T>(to, s.columns, s.rows, s.to_pitch, s.batch, s.to_stride), down, across);
  cuda::launched(stream);
}

void launch_bulk(Backend& backend, const Transposition& shape, const void* from, void* to) {
  const cudaStream_t stream = stream_of(backend);
  if (shape.element == 4)
    launch_as<std::uint32_t>(stream, shape, from, to);
  else
    launch_as<std::uint64_t>(stream, shape, from, to);
}

// The engine requires rows that begin on multiples of 16 bytes.
bool aligned(const Transposition& s, const void* from, const void* to) {
  const auto of_word = static_cast<std::int64_t>(16 / s.element);
  const auto whole = [&](std::int64_t elements) { return elements % of_word == 0; };
  const bool addresses =
      reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0;
  return addresses && whole(s.from_pitch) && whole(s.to_pitch) &&
         (s.batch == 1 || (whole(s.from_stride) && whole(s.to_stride) && s.from_stride > 0));
}

}  // namespace

std::vector<TransposeVariant> bulk_transpose_variants() {
  int device = 0, major = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 9 || !encoder()) return {};
  return {{.name = std::string(transpose_names::bulk), .launch = launch_bulk, .permitted = aligned}};
}

}  // namespace poisson::lab
