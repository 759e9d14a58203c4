#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// Smooths with a polynomial in B⁻¹A. B couples the values of each plane across an axis; `planes` solves for it with
/// any symmetric approximation.
class PlaneSmoother final : public Smoother {
 public:
  /// Upper bound of the eigenvalues of B⁻¹A: planes couple only to neighbouring planes.
  static constexpr double largest_eigenvalue = 2;

  PlaneSmoother(const Operator& A, std::span<const PolynomialStep> steps, std::shared_ptr<Preconditioner> planes);
  void smooth(const Field& b, Iterate& u, bool reversed) const override;

 private:
  // Defines a step u += length d with d = B⁻¹(b − A u) + memory d.
  struct Step {
    Scalar length, memory;
  };
  const Operator& A_;
  std::vector<Step> steps_;
  std::shared_ptr<Preconditioner> planes_;
};

}  // namespace poisson
