#include "backends/transforms/data_projection.hpp"

#include "backends/cpu/factories.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {

std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass) {
  if (backend.kind() == BackendKind::cpu) return cpu::make_data_projection(backend, space, A, mass);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_data_projection(backend, space, A, mass);
#endif
  throw RunError("there is no projection of data for CUDA (this build lacks it)", Remedy::host);
}

}  // namespace poisson
