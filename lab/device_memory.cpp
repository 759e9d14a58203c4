#include "lab/device_memory.hpp"

#include <unistd.h>

namespace poisson::lab {

DeviceMemory device_memory(const Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return gpu::device_memory();
#endif
  static_cast<void>(backend);
  DeviceMemory memory;
  const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE), cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (pages > 0 && page > 0) memory.free = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  if (cache > 0) memory.cache = static_cast<std::size_t>(cache);
  return memory;
}

}  // namespace poisson::lab
