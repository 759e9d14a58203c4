#include "lab/harness/device_memory.hpp"

#include <unistd.h>

#include "lab/harness/with_cuda.hpp"

namespace poisson::lab {

DeviceMemory device_memory(const Backend& backend) {
  if constexpr (with_cuda)
    if (backend.kind() == BackendKind::cuda) return gpu::device_memory();
  DeviceMemory memory;
  // Pages cached by the system are also free, but only the system knows their number: count half of all memory as free.
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (pages > 0 && page > 0) memory.free = static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page);
  if (cache > 0) memory.cache = static_cast<std::size_t>(cache);
  return memory;
}

}  // namespace poisson::lab
