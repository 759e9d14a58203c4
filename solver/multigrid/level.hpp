#pragma once

#include <memory>
#include <optional>

#include "grids/levels/strong_clusters.hpp"
#include "grids/operators/operator.hpp"
#include "solver/multigrid/direct.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// Counts the rounds of the smoothers before and after the coarse correction.
struct Rounds {
  int pre = 1, post = 1;
};

/// Represents one level of a hierarchy and the equation A e = b on it. It owns b and e and their representation. The
/// verbs here are composed of those of the operator, the transfer and the smoothers. A derived level that fuses passes,
/// or stores e unevaluated, overrides them (docs/design/fused.md).
class Level {
 public:
  /// Contains what a level with a coarser level works with. The smoothers run in `rounds`, each next to a correction on
  /// the strong clusters. A level without strong clusters has one round.
  struct Parts {
    std::unique_ptr<Transfer> to_coarser;
    Smoothers smoothers;
    std::shared_ptr<const StrongClusters> strong_clusters;
    Rounds rounds;
  };

  /// Makes the fields of a level. `coarsest` levels are solved directly and need one field for e, other levels two.
  Level(Backend& backend, const Space& space, Precision precision, bool coarsest);
  virtual ~Level() = default;
  Level(const Level&) = delete;

  /// Returns whether the fields of this level serve an operator on this space.
  bool serves(const Space& space, Precision precision, bool coarsest) const;
  /// Sets the operator and the other parts.
  void fill(std::shared_ptr<const Operator> A, Parts parts);
  /// Sets the operator of a level that is solved directly. `exact` and `uncoupled` are as for DirectSolver.
  void fill(std::shared_ptr<const Operator> A, const Operator* exact, const UncoupledBlocks* uncoupled);
  /// Releases the operator and the other parts and sets the fields to zero. Their memory stays.
  void release();

  const Operator& A() const { return *A_; }
  const Transfer& to_coarser() const { return *parts_.to_coarser; }
  Field& rhs() { return b_; }
  const Field& correction() const { return *e_.now; }

  /// Sets e = 0.
  virtual void clear();
  /// Smooths e, restricts the residual to the right-hand side of the coarser level, and sets its e = 0.
  virtual void descend(Level& coarse);
  /// Adds the coarser level's correction to e and smooths e.
  virtual void ascend(const Level& coarse);
  /// Lets two visits of a cycle be steps of a Chebyshev iteration with these step sizes.
  struct StepSizes {
    double first, second;
  };
  void accelerate(const std::optional<StepSizes>& steps);
  /// Follow the first and the second visit. The level with its coarser levels approximates A⁻¹ by B. Then
  /// e = first · B b, and e = e + second · B(b − A e). They do nothing without step sizes.
  void scale_first_visit();
  void scale_second_visit();
  /// Sets e = P coarse and returns e.
  const Field& prolonged(const Field& coarse);
  /// Sets e = A⁻¹ b on a level that is solved directly.
  void solve();
  /// Implements Preconditioner::correct on the finest level.
  virtual void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
                       Scalar& norm);

 private:
  std::shared_ptr<const Operator> A_;  // null between release() and fill()
  Parts parts_;                        // without a transfer on the coarsest level
  std::optional<DirectSolver> direct_;
  Field b_, first_, second_;
  Iterate e_;
  struct Visits {
    StepSizes steps;
    Scalar first, second, kept;  // step sizes; (1 − second) · first
    Field e;                     // (1 − second) e after the first visit
  };
  std::optional<Visits> visits_;
};

}  // namespace poisson
