#include "backends/transforms/diagonal_scaling.hpp"

#include "backends/cpu/factories.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

class RehearsedScaling final : public DiagonalScaling {
 public:
  RehearsedScaling(const TensorDiagonal& L, const Field& diagonal)
      : factors_(diagonal.backend(), diagonal.space(), Precision::fp32) {
    std::size_t values = 0;
    for (std::size_t d = 0; d < 3; ++d) values += L.stiffness[d].size() + L.mass[d].size();
    if (diagonal.backend().on_gpu()) tables_ = diagonal.backend().allocate(values * sizeof(double));
  }
  void apply(Field&) const override {}

 private:
  Field factors_;
  Buffer tables_;
};

}  // namespace

std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal) {
  if (rehearses(diagonal.backend())) return std::make_unique<RehearsedScaling>(L, diagonal);
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

}  // namespace poisson
