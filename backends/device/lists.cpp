#include "backends/device/lists.hpp"

#include <algorithm>
#include <numeric>

#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/functions.hpp"
#endif

namespace poisson {

void sort(Backend& backend, std::uint64_t* numbers, std::size_t count) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::sort(backend, numbers, count);
#endif
  if (!backend.on_gpu()) std::sort(numbers, numbers + count);
}

void sum_before(Backend& backend, std::uint32_t* numbers, std::size_t count) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::sum_before(backend, numbers, count);
#endif
  if (!backend.on_gpu()) std::exclusive_scan(numbers, numbers + count, numbers, std::uint32_t{0});
}

}  // namespace poisson
