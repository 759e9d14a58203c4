#pragma once

#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/level.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Applies geometric multigrid (Trottenberg, Oosterlee, Schüller, Multigrid, 2001, chapters 2 and 3) with V, W or F
/// cycles. A W-cycle visits a level twice only if it has at most a third of the unknowns of the last level visited
/// twice. Its work therefore stays proportional to the unknowns (ibid., section 2.4.3) if levels coarsen only one axis.
///
/// If the second level has the unknowns of the first one at other places (moves_alone), the first one is not smoothed:
/// cycles and full multigrid then begin on the second level, which gets the right-hand side and returns the correction.
class Multigrid final : public Preconditioner {
 public:
  /// `options` must be resolved.
  Multigrid(Hierarchy hierarchy, const Options& options);

  /// Releases operators, transfers and smoothers, and sets all fields to zero. Their memory stays.
  void release();
  /// Follows release(): replaces the levels. A level on a box of unchanged size keeps the memory of its fields.
  void refill(Hierarchy hierarchy, const Options& options);

  Field& rhs() override { return levels_.front()->rhs(); }
  void solve() override { cycle(0, cycle_); }
  const Field& correction() const override { return levels_.front()->correction(); }
  void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
               Scalar& norm) override {
    levels_.front()->correct(A, u, b, applied, scale, norm);
  }

  /// Counts levels of different unknowns.
  int levels() const { return static_cast<int>(levels_.size() - first_); }
  /// Returns whether levels correct strong clusters.
  bool rough() const { return rough_; }

  /// Computes a full multigrid start. From the coarsest level up to level 1, it interpolates cubically and runs one
  /// cycle; then it interpolates to the finest level. Reads the Dirichlet data from u and writes its unknowns. b is the
  /// right-hand side of the finest level. `scale` and `inverse` convert it to the range of the levels' precision and
  /// back. With a `residual` of u, it corrects u instead: u += inverse · e, A e ≈ scale · residual. Coarse levels then
  /// need no Dirichlet data, and P prolongs e.
  void start(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse, const Field* residual = nullptr);
  /// Makes start() keep constrained unknowns (ConstrainedNodes) at zero. Cubic interpolation does not preserve these
  /// zeros, so sweeps restore them. `finest` is the operator of b and u.
  void hold(std::shared_ptr<const Operator> finest);

 private:
  Level& level_for(const Operator& A, std::size_t level, bool coarsest);
  void cycle(std::size_t level, Cycle type);
  void improve(std::size_t level, Cycle type);
  void start_here(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse, const Field* residual);
  void start_from_residual(const Field& r, Field& u, const Scalar& scale, const Scalar& inverse);
  /// Solves the levels below the finest for their right-hand sides, starting from their solutions.
  void solve_upwards();
  void settle(std::size_t level, const Field& b, Field& u);

  Backend& backend_;
  Cycle cycle_ = Cycle::v;
  bool rough_ = false;
  std::size_t first_ = 0;  // of the levels that are smoothed
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<bool> twice_;                           // visited twice by a W-cycle of the next finer level
  std::shared_ptr<const Operator> finest_;            // set if nodes are constrained
  std::vector<std::unique_ptr<Splitting>> settling_;  // per level, if nodes are constrained
  std::vector<Field> solutions_;                      // of full multigrid on coarser levels; include Dirichlet data
  Field rhs_there_, solution_there_;  // of the start, on the first level that is smoothed, if it is not the finest
  Scalar one_;
};

}  // namespace poisson
