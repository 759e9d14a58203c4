#include "backends/device/kept_exchange.hpp"

#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/program.hpp"
#endif

namespace poisson {

std::shared_ptr<const void> keep_exchange([[maybe_unused]] Backend& backend, [[maybe_unused]] const Exchange& exchange,
                                          [[maybe_unused]] const Space& from, [[maybe_unused]] const Space& to) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::keep_program(backend, exchange.program(), from, to);
#endif
  return nullptr;
}

}  // namespace poisson
