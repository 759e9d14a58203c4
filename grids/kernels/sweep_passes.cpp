#include "grids/kernels/sweep_passes.hpp"

#include "backends/backend.hpp"

namespace poisson {

std::unique_ptr<SweepPass> make_sweep_pass(Backend& backend, const SchemeRows& rows, Precision precision) {
  const LevelRows& level = level_rows(rows);
  if (level.kappa_source || level.decoupled >= 0 || !level.block.space().whole()) return nullptr;
  return with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) -> std::unique_ptr<SweepPass> {
    if constexpr (std::is_same_v<Own, ElementRows>)
      return nullptr;
    else if (backend.on_gpu()) {
#ifdef POISSON_HAVE_CUDA
      return SweepPassesOn<OnCuda>::make<T>(backend, own);
#else
      return nullptr;
#endif
    } else {
      return SweepPassesOn<OnHost>::make<T>(backend, own);
    }
  });
}

}  // namespace poisson
