#include "grids/compact/row_levels.hpp"

#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/compact/cuda/device_operators.hpp"
#endif

namespace poisson {

std::unique_ptr<RowLevels> make_row_levels([[maybe_unused]] Backend& backend, [[maybe_unused]] bool keeps_patterns) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_row_levels(backend, keeps_patterns);
#endif
  throw RunError("this build has no kernels for compact rows on a GPU", Remedy::host);
}

}  // namespace poisson
