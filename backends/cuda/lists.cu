#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backends/cuda/check.cuh"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/functions.hpp"

namespace poisson::cuda {
namespace {

// CUB first returns the size of its workspace and then runs in it.
template <class Algorithm>
void with_room(Backend& backend, const Algorithm& algorithm) {
  std::size_t bytes = 0;
  check(algorithm(nullptr, bytes));
  const Buffer room = backend.allocate(bytes);
  check(algorithm(room.data(), bytes));
}

}  // namespace

void sort(Backend& backend, std::uint64_t* numbers, std::size_t count) {
  if (count == 0) return;
  const cudaStream_t stream = static_cast<CudaBackend&>(backend).stream();
  const std::size_t bytes = count * sizeof(std::uint64_t);
  const Buffer sorted = backend.allocate(bytes);
  auto* const to = static_cast<std::uint64_t*>(sorted.data());
  with_room(backend, [&](void* room, std::size_t& size) {
    return cub::DeviceRadixSort::SortKeys(room, size, numbers, to, count, 0, 64, stream);
  });
  check(cudaMemcpyAsync(numbers, to, bytes, cudaMemcpyDeviceToDevice, stream));
}

void sum_before(Backend& backend, std::uint32_t* numbers, std::size_t count) {
  if (count == 0) return;
  const cudaStream_t stream = static_cast<CudaBackend&>(backend).stream();
  with_room(backend, [&](void* room, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSum(room, size, numbers, numbers, count, stream);
  });
}

}  // namespace poisson::cuda
