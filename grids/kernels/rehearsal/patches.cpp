// Operators on patches own in a rehearsal what those of the rehearsed device own, and their verbs do nothing.

#include <type_traits>
#include <utility>
#include <vector>

#include "grids/kernels/rehearsal/rehearsal.hpp"
#include "grids/operators/axis_tables.hpp"
#include "grids/operators/patched_operator.hpp"

namespace poisson::rehearsal {
namespace {

struct NoSteps final : SymmetricSplitting {
  double largest_eigenvalue() const override { return 2; }
  void start(double, const Field&, Field&) const override {}
  void step(PolynomialStep, const Field&, const Field&, Field&) const override {}
  void take(std::span<const PolynomialStep>, bool, const Field&, Iterate& u) const override { u.zero = false; }
};

template <class Owned>
class RehearsedPatches final : public SilentOperator<PatchedOperator> {
 public:
  RehearsedPatches(std::shared_ptr<const Operator> box, std::shared_ptr<const PatchedBox> of, Owned owned)
      : SilentOperator(std::move(box), std::move(of)), owned_(std::move(owned)) {}

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    if (relaxation.extent != Extent::point) return PatchedOperator::split(relaxation);
    return std::make_unique<NoSteps>();
  }

 private:
  Owned owned_;
};

template <class Owned>
std::unique_ptr<Operator> make(const std::shared_ptr<const Operator>& box, const std::shared_ptr<const PatchedBox>& of,
                               Owned owned) {
  return std::make_unique<RehearsedPatches<Owned>>(box, of, std::move(owned));
}

}  // namespace

std::unique_ptr<Operator> make_stacked_operator(const SchemeRows& rows, Assembly assembly,
                                                const std::shared_ptr<const Operator>& box,
                                                const std::shared_ptr<const PatchedBox>& of) {
  if (!box->backend().on_gpu()) return make(box, of, std::monostate());
  if (assembly != Assembly::partial) return nullptr;
  return with_own_rows(rows, box->precision(), [&]<class T, class Own>(T, const Own& own) -> std::unique_ptr<Operator> {
    if constexpr (std::is_same_v<Own, ElementRows>)
      return nullptr;
    else
      return make(box, of, CoefficientTables<T>(box->backend(), own));
  });
}

}  // namespace poisson::rehearsal
