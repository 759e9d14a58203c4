#include "solver/smoothers/smoother.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "solver/smoothers/planes.hpp"

namespace poisson {

extern const SmootherKind jacobi, red_black, chebyshev_first, chebyshev_fourth;

std::span<const SmootherKind* const> smoother_kinds() {
  static constexpr std::array<const SmootherKind*, 4> kinds{&jacobi, &red_black, &chebyshev_first, &chebyshev_fourth};
  return kinds;
}

const SmootherKind& smoother_kind(std::string_view type, std::string_view form) {
  for (const SmootherKind* kind : smoother_kinds())
    if (kind->type == type && (form.empty() || kind->form == form)) return *kind;
  throw std::out_of_range("no smoother " + std::string(type) + " " + std::string(form));
}

Smoothers make_smoothers(const Operator& A, const SmootherOptions& options, Relaxation relaxation,
                         const std::shared_ptr<Preconditioner>& planes) {
  const bool points = relaxation.extent == Extent::point;
  const SmootherKind& kind = points || options.kind->symmetric ? *options.kind : chebyshev_first;
  std::shared_ptr<const Splitting> splitting;
  double largest = PlaneSmoother::largest_eigenvalue;
  if (!kind.symmetric) {
    splitting = A.split_by_colours();
  } else if (!planes) {
    std::shared_ptr<const SymmetricSplitting> symmetric =
        A.split(points ? std::nullopt : std::optional(relaxation.axis));
    largest = symmetric->largest_eigenvalue();
    splitting = std::move(symmetric);
  }
  const auto make = [&](int sweeps) -> std::unique_ptr<const Smoother> {
    if (sweeps == 0) return nullptr;
    const std::vector<PolynomialStep> steps = kind.steps(options, sweeps, largest);
    if (planes) return std::make_unique<PlaneSmoother>(A, steps, planes);
    return std::make_unique<SteppingSmoother>(splitting, steps);
  };
  return {make(*options.pre), make(*options.post)};
}

std::string in_short(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace poisson
