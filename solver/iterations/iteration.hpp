#pragma once

#include <optional>

#include "backends/device/monitor.hpp"
#include "solver/equation.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

class ConjugateGradients;

/// Is an iteration for A u = b around a preconditioner. The solver owns it, measures the data, judges the result and
/// changes to fallbacks. The functions up to iterate() may be recorded by the backend.
class Iteration {
 public:
  Iteration(Equation& equation, Preconditioner& preconditioner) : e_(equation), preconditioner_(preconditioner) {}
  virtual ~Iteration() = default;
  Iteration(const Iteration&) = delete;

  Preconditioner& preconditioner() { return preconditioner_; }

  /// Computes b − A u into the field that the first step reads, and its squared norm. Refinement scales it.
  virtual void take_residual(const Scalar& scale, Scalar& norm) = 0;
  /// Returns this field.
  virtual const Field& residual() const = 0;
  /// Prepares the first step, after take_residual without a scale gave `initial`.
  virtual void start(const Scalar& initial) = 0;
  /// Starts again from the residual of the current u and b.
  virtual void restart() = 0;
  /// Iterates until the monitor has a verdict or has counted `limit` iterations.
  virtual void iterate(Monitor& monitor, int limit);

  /// Returns the last correction of u, up to a factor.
  virtual const Field& last_correction() const { return preconditioner_.correction(); }
  /// Returns the magnitude of this factor.
  virtual double last_length() { return 1; }
  /// Restores the iterate with the smallest residual.
  virtual void restore_best(const MonitorState&) { e_.backend.copy(e_.best, e_.u); }
  /// Returns a preconditioner that can step from any iterate, or null.
  virtual Preconditioner* stepping() { return &preconditioner_; }
  /// Returns the estimated error if the method has an estimate of its own.
  virtual std::optional<double> own_estimate(const MonitorState&) const { return {}; }
  /// Returns this iteration if it is one of conjugate gradients, else null.
  virtual ConjugateGradients* conjugate() { return nullptr; }

 protected:
  /// Makes an iteration, which iterate() repeats. Ends with an observation of the norm.
  virtual void body(Monitor& monitor) = 0;

  Equation& e_;
  Preconditioner& preconditioner_;
};

}  // namespace poisson
