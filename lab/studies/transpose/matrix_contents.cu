#include "lab/harness/stream.cuh"
#include "lab/studies/transpose/matrix_contents.hpp"

namespace poisson::lab::gpu {
namespace {

constexpr unsigned blocks = 4096, threads = 256;  // every kernel strides over its elements by the grid

template <class F>
__device__ void for_each(std::int64_t count, const F& f) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += blocks * threads) f(i);
}

template <class T>
__global__ void fill_kernel(T* data, std::int64_t count, std::uint64_t seed) {
  for_each(count, [&](std::int64_t i) { data[i] = random_element<T>(seed, static_cast<std::uint64_t>(i)); });
}

template <class T>
__global__ void misplaced_kernel(Misplaced<T> wrong, std::int64_t count, unsigned long long* found) {
  unsigned long long mine = 0;
  for_each(count, [&](std::int64_t i) { mine += wrong(i) ? 1 : 0; });
  if (mine > 0) atomicAdd(found, mine);
}

template <class T>
void launch_misplaced(Backend& backend, const Misplaced<T>& wrong, const Buffer& found) {
  misplaced_kernel<<<blocks, threads, 0, stream_of(backend)>>>(
      wrong, wrong.shape.batch * wrong.shape.rows * wrong.shape.columns,
      static_cast<unsigned long long*>(found.data()));
  cuda::launched(stream_of(backend));
}

}  // namespace

void fill_elements(Backend& backend, std::size_t element, void* data, std::int64_t count, std::uint64_t seed) {
  if (element == 4)
    fill_kernel<<<blocks, threads, 0, stream_of(backend)>>>(static_cast<std::uint32_t*>(data), count, seed);
  else
    fill_kernel<<<blocks, threads, 0, stream_of(backend)>>>(static_cast<std::uint64_t*>(data), count, seed);
  cuda::launched(stream_of(backend));
}

std::int64_t misplaced(Backend& backend, const Transposition& shape, bool transposed, std::uint64_t seed,
                       const void* to) {
  const Buffer found = backend.allocate(sizeof(unsigned long long));
  if (shape.element == 4)
    launch_misplaced<std::uint32_t>(backend, {shape, transposed, seed, static_cast<const std::uint32_t*>(to)}, found);
  else
    launch_misplaced<std::uint64_t>(backend, {shape, transposed, seed, static_cast<const std::uint64_t*>(to)}, found);
  unsigned long long count = 0;
  backend.read(found.data(), &count, sizeof count);
  return static_cast<std::int64_t>(count);
}

}  // namespace poisson::lab::gpu
