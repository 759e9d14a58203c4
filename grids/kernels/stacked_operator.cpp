#include "grids/kernels/stacked_operator.hpp"

#include <utility>

#include "grids/kernels/cpu/stacked_factory.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/kernels/cuda/stacked_factories.hpp"
#endif

namespace poisson {

std::unique_ptr<Operator> make_stacked_operator([[maybe_unused]] const SchemeRows& rows,
                                                [[maybe_unused]] Assembly assembly, std::shared_ptr<const Operator> box,
                                                std::shared_ptr<const PatchedBox> of) {
  if (box->backend().kind() == BackendKind::cpu && !of->turned)
    if (auto made = cpu::make_stacked_operator(box, of)) return made;
#ifdef POISSON_HAVE_CUDA
  if (box->backend().kind() == BackendKind::cuda && assembly == Assembly::partial && !of->turned) {
    std::unique_ptr<Operator> made =
        with_own_rows(rows, box->precision(), [&]<class T, class Own>(T, const Own& own) -> std::unique_ptr<Operator> {
          if constexpr (std::is_same_v<Own, ElementRows>)
            return nullptr;
          else
            return cuda::make_stacked_operator<T>(own, box, of);
        });
    if (made) return made;
  }
#endif
  return std::make_unique<GatheredOperator>(std::move(box), std::move(of));
}

}  // namespace poisson
