#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// A polynomial in B⁻¹A with B the planes across an axis, solved by `planes`, whatever symmetric approximation that is.
class PlaneSmoother final : public Smoother {
 public:
  /// An upper bound of the eigenvalues of B⁻¹A: planes couple to the next alone.
  static constexpr double largest_eigenvalue = 2;

  PlaneSmoother(const Operator& A, std::span<const PolynomialStep> steps, std::shared_ptr<Preconditioner> planes);
  void smooth(const Field& b, Iterate& u, bool reversed) const override;

 private:
  // u += length d with d = B⁻¹(b − A u) + memory d.
  struct Step {
    Scalar length, memory;
  };
  const Operator& A_;
  std::vector<Step> steps_;
  std::shared_ptr<Preconditioner> planes_;
};

}  // namespace poisson
