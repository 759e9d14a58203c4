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
  /// Makes a level that is solved directly. `exact` and `decoupled` are as for DirectSolver.
  Level(std::shared_ptr<const Operator> A, const Operator* exact, int decoupled);
  /// Makes a level with a coarser level, with the transfer to that level and the smoothers.
  /// The smoothers run in `rounds`, each next to a correction on the strong clusters. A level without strong clusters
  /// has one round.
  Level(std::shared_ptr<const Operator> A, std::unique_ptr<Transfer> to_coarser, Smoothers smoothers,
        std::shared_ptr<const StrongClusters> strong_clusters, Rounds rounds);
  virtual ~Level() = default;
  Level(const Level&) = delete;

  const Operator& A() const { return *A_; }
  const Transfer& to_coarser() const { return *to_coarser_; }
  Field& rhs() { return b_; }
  const Field& correction() const { return *e_.now; }

  /// Sets e = 0.
  virtual void clear();
  /// Smooths e, restricts the residual to the right-hand side of the coarser level, and sets its e = 0.
  virtual void descend(Level& coarse);
  /// Adds the coarser level's correction to e and smooths e.
  virtual void ascend(const Level& coarse);
  /// Lets two visits of a cycle be steps of a Chebyshev iteration with these step sizes.
  void accelerate(double first, double second);
  /// Follow the first and the second visit. The level with its coarser levels approximates A⁻¹ by B. Then
  /// e = first · B b, and e = e + second · B(b − A e). They do nothing unless accelerate() was called.
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
  Level(std::shared_ptr<const Operator> A, bool alone);

  std::shared_ptr<const Operator> A_;
  std::unique_ptr<Transfer> to_coarser_;
  Smoothers smoothers_;
  std::shared_ptr<const StrongClusters> strong_clusters_;  // may be null
  Rounds rounds_;
  std::optional<DirectSolver> direct_;
  Field b_, first_, second_;
  Iterate e_;
  struct Visits {
    Scalar first, second, kept;  // step sizes; (1 − second) · first
    Field e;                     // (1 − second) e after the first visit
  };
  std::optional<Visits> visits_;
};

}  // namespace poisson
