#pragma once

#include "solver/iterations/refinement.hpp"

namespace poisson {

/// Refines u by Chebyshev's semi-iteration with its limit of step sizes (Golub & Varga, Numer. Math. 3, 1961): each
/// correction is e + (c²/4) times the last correction, if cycles multiply errors by numbers between −c and c. Errors
/// then shrink by about c/2 an iteration. Larger and smaller c do no harm, because c²/4 ≪ 1.
class AcceleratedRefinement final : public Refinement {
 public:
  AcceleratedRefinement(Equation& equation, Preconditioner& preconditioner, double contraction);

  void start(const Scalar& initial) override;
  void restart() override;
  const Field& last_correction() const override { return moved_; }

 protected:
  void body(Monitor& monitor) override;

 private:
  void forget();

  Field moved_;             // the last correction, in units of `applied`
  Scalar momentum_, part_;  // c²/4; the factor of the last correction
};

}  // namespace poisson
