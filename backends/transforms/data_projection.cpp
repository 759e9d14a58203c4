#include "backends/transforms/data_projection.hpp"

#include "backends/cpu/factories.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

struct RehearsedProjection final : DataProjection {
  void do_apply(Field&, Scalar&, Scalar&, Scalar&) const override {}
  Buffer tables;
};

}  // namespace

std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass) {
  if (rehearses(backend)) {
    auto projection = std::make_unique<RehearsedProjection>();
    const std::size_t values = mass.sums[0].size() + mass.sums[1].size() + mass.sums[2].size();
    if (backend.on_gpu()) projection->tables = backend.allocate(3 * values * sizeof(double));
    return projection;
  }
  if (backend.kind() == BackendKind::cpu) return cpu::make_data_projection(backend, space, A, mass);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_data_projection(backend, space, A, mass);
#endif
  throw RunError("there is no projection of data for CUDA (this build lacks it)", Remedy::host);
}

}  // namespace poisson
