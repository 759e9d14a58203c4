#include "grids/device_sampling.hpp"

#ifdef POISSON_HAVE_CUDA
#include "grids/cuda/factories.hpp"
#endif

namespace poisson {

std::unique_ptr<DeviceSampler> make_sampler([[maybe_unused]] Backend& backend, [[maybe_unused]] const Block& block,
                                            [[maybe_unused]] std::span<const Quantity> data) {
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::make_sampler(backend, block, data);
#endif
  return nullptr;
}

}  // namespace poisson
