#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "backends/device/monitor.hpp"
#include "solver/equation.hpp"
#include "solver/iterations/iteration.hpp"

namespace poisson {

/// A solve has converged only if the estimated error of u is at most this multiple of the tolerance.
inline constexpr double promised_error = 1e3;

/// Names the iteration in use: the solver's own one or a fallback, which began at `since` in the history.
struct Phase {
  Iteration* own = nullptr;
  Iteration* fallback = nullptr;  ///< null if none is in use
  std::size_t since = 0;
  bool best_stored = false;  ///< the best iterate is valid even if no residual has risen

  Iteration& now() const { return fallback ? *fallback : *own; }
  bool conjugate() const { return now().conjugate() != nullptr; }
};

/// Estimates the error ‖u − A⁻¹b‖/‖u‖ of an iterate from the course of its iteration and from further steps, which it
/// does not apply to u. May overwrite r, p and q and the right-hand side of the preconditioner.
class ErrorEstimate {
 public:
  explicit ErrorEstimate(Equation& equation) : e_(equation) {}

  /// Releases what belongs to the operator.
  void forget() { judge_.reset(); }

  double of(const Monitor& monitor, const Phase& phase);
  /// Returns the relative size of the next correction of u over one minus the contraction of the step after it. Returns
  /// 0 if one process runs alone and has no memory for another iterate.
  double by_step(const Field& u, Preconditioner& preconditioner);
  /// Returns whether errors larger than `error` may have a residual below rounding. Neither the contraction nor the
  /// steps made before the rounding limit detect them.
  bool rounding_may_hide(double error) const;

 private:
  double seen(const Monitor& monitor, const Phase& phase);
  double unseen(const MonitorState& state, const Phase& phase);
  double without_steps(const MonitorState& state, const Phase& phase);
  double by_last_step(const Monitor& monitor, const Phase& phase, double size, double rho);
  double by_energy(double length, double slow, double step);
  double by_next_step(Preconditioner& preconditioner, double last, double size);
  double by_next_direction(ConjugateGradients& iteration, double past, double size, double unmet, double before);
  std::optional<double> next_length(const Field& u, Preconditioner& preconditioner);

  Equation& e_;
  std::unique_ptr<Preconditioner> judge_;  // finds errors that residuals hide; made on demand
};

}  // namespace poisson
