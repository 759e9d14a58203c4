#pragma once

#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/level.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Geometric multigrid (Trottenberg, Oosterlee, Schüller, Multigrid, 2001, chapters 2 and 3) as V, W or F cycle.
/// A W-cycle visits a level twice where it has at most a third of the unknowns of the last one that was: so its work
/// stays in proportion to the unknowns (there, section 2.4.3) where levels coarsen one axis alone.
class Multigrid final : public Preconditioner {
 public:
  /// `options` resolved.
  Multigrid(Hierarchy hierarchy, const Options& options);

  Field& rhs() override { return levels_.front()->rhs(); }
  void solve() override { cycle(0, cycle_); }
  const Field& correction() const override { return levels_.front()->correction(); }
  void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
               Scalar& norm) override {
    levels_.front()->correct(A, u, b, applied, scale, norm);
  }

  int levels() const { return static_cast<int>(levels_.size()); }

  /// Full multigrid start: from the coarsest level upwards solve, interpolate cubically, one cycle, down to level 1,
  /// and interpolate to the finest. Reads the Dirichlet data from u and writes its unknowns. b is the right-hand side
  /// of the finest level; `scale` and `inverse` bring it into the range of the levels' precision and back.
  /// With a `residual` of u, corrects u instead: u += inverse · e, A e ≈ scale · residual. Coarse levels then need no
  /// Dirichlet data, and e is prolonged by P.
  void start(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse, const Field* residual = nullptr);
  /// From now on start() takes held unknowns (ConstrainedNodes) for zero, which cubic interpolation does not know:
  /// sweeps put them back. `finest`: the operator of b and u.
  void hold(std::shared_ptr<const Operator> finest);

 private:
  void cycle(std::size_t level, Cycle type);
  void improve(std::size_t level, Cycle type);
  void start_from_residual(const Field& r, Field& u, const Scalar& scale, const Scalar& inverse);
  /// Solves the levels below the finest for their right-hand sides, starting from their solutions.
  void solve_upwards();
  void settle(std::size_t level, const Field& b, Field& u);

  Backend& backend_;
  Cycle cycle_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<bool> twice_;                           // visited twice by a W-cycle of the next finer level
  std::shared_ptr<const Operator> finest_;            // where unknowns are held
  std::vector<std::unique_ptr<Splitting>> settling_;  // the same, of each level
  std::vector<Field> solutions_;  // full multigrid, coarser levels only: each level's own, Dirichlet data included
  Scalar one_;
};

}  // namespace poisson
