#include "backends/adjoint_exchange.hpp"

#include "backends/cpu/adjoint_exchange.hpp"
#include "backends/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/adjoint_exchange.hpp"
#endif

namespace poisson {

std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend) {
  switch (backend.kind()) {
    case BackendKind::cpu:
      return cpu::make_adjoint_exchange();
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::make_adjoint_exchange(backend);
#endif
      break;
  }
  throw RunError("there is no adjoint exchange for CUDA (this build lacks it)", Remedy::host);
}

}  // namespace poisson
