#pragma once

#include <optional>

#include "solver/direct/fast_diagonalization.hpp"
#include "solver/iterations/refinement.hpp"

namespace poisson {

/// Refines a direct solution. It also makes the solution in one pass, and steps that measure its error.
class DirectIteration final : public Refinement {
 public:
  DirectIteration(Equation& equation, FastDiagonalization& solver)
      : Refinement(equation, solver, false), solver_(solver) {}

  void start(const Scalar& initial) override;
  Preconditioner* stepping() override { return nullptr; }
  /// Bounds the error by the residual (docs/design/direct.md).
  std::optional<double> own_estimate(const MonitorState& state) const override;

  /// Solves from u = 0, whose residual is b, with zero data stored in u. `raw` and `data` are the squared norms of b
  /// before and after its projection.
  void solve_at_once(Monitor& monitor, const Scalar& raw, const Scalar& data);
  /// Returns whether that solution of a singular problem has zero mean without a projection.
  bool drops_mean() const { return solver_.drops_mean(); }
  /// Refines until u moves by less than the tolerance or a step no longer shrinks. Returns the estimated error.
  double take_steps(Monitor& monitor);

 private:
  FastDiagonalization& solver_;
};

}  // namespace poisson
