#pragma once

#include "solver/iterations/refinement.hpp"

namespace poisson {

/// Runs Jacobi's method (JacobiSweeps). The best iterate is not stored: the sweeps are repeated from the
/// stored start and give the same bits.
class JacobiIteration final : public Refinement {
 public:
  JacobiIteration(Equation& equation, Preconditioner& sweeps) : Refinement(equation, sweeps, false) {}

  void start(const Scalar& initial) override;
  void restart() override;
  double last_length() override { return 1; }
  void restore_best(const MonitorState& state) override;
  Preconditioner* stepping() override { return nullptr; }
};

}  // namespace poisson
