#include "grids/blocks/device_blocks.hpp"

#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/blocks/cuda/device_blocks.hpp"
#endif

namespace poisson {

std::unique_ptr<DeviceBlocks> make_device_blocks([[maybe_unused]] Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_device_blocks(backend);
#endif
  throw RunError("blocks have no operators on this device: use backend.device: cpu");
}

}  // namespace poisson
