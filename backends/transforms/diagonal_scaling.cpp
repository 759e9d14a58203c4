#include "backends/transforms/diagonal_scaling.hpp"

#include "backends/cpu/factories.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {

std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal) {
  switch (diagonal.backend().kind()) {
    case BackendKind::cpu:
      return cpu::make_diagonal_scaling(L, diagonal);
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::make_diagonal_scaling(L, diagonal);
#endif
      break;
  }
  throw RunError("there is no scaling by diagonals for CUDA (this build lacks it)", Remedy::host);
}

std::size_t diagonal_scaling_bytes(const Layout& layout) {
  const auto tables = static_cast<std::size_t>(layout.n[0] + layout.n[1] + layout.n[2]);
  return static_cast<std::size_t>(layout.allocated(Precision::fp32)) * bytes_of(Precision::fp32) +
         2 * tables * sizeof(double);
}

}  // namespace poisson
