#include "grids/kernels/stacked_operator.hpp"

#include <utility>

#include "grids/kernels/cpu/stacked_factory.hpp"
#include "grids/kernels/rehearsal/rehearsal.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/kernels/cuda/stacked_factories.hpp"
#endif

namespace poisson {
namespace {

// Returns an operator whose verbs are launches on patches, or null.
std::unique_ptr<Operator> make_with_verbs(const SchemeRows& rows, Assembly assembly,
                                          const std::shared_ptr<const Operator>& box,
                                          const std::shared_ptr<const PatchedBox>& of) {
  if (of->turned) return nullptr;
  if (rehearses(box->backend())) return rehearsal::make_stacked_operator(rows, assembly, box, of);
  if (box->backend().kind() == BackendKind::cpu) return cpu::make_stacked_operator(box, of);
#ifdef POISSON_HAVE_CUDA
  if (box->backend().kind() == BackendKind::cuda && assembly == Assembly::partial)
    return with_own_rows(rows, box->precision(),
                         [&]<class T, class Own>(T, const Own& own) -> std::unique_ptr<Operator> {
                           if constexpr (std::is_same_v<Own, ElementRows>)
                             return nullptr;
                           else
                             return cuda::make_stacked_operator<T>(own, box, of);
                         });
#endif
  return nullptr;
}

}  // namespace

std::unique_ptr<Operator> make_stacked_operator(const SchemeRows& rows, Assembly assembly,
                                                std::shared_ptr<const Operator> box,
                                                std::shared_ptr<const PatchedBox> of) {
  if (auto made = make_with_verbs(rows, assembly, box, of)) return made;
  return std::make_unique<GatheredOperator>(std::move(box), std::move(of));
}

}  // namespace poisson
