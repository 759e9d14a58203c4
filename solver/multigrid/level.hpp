#pragma once

#include <memory>
#include <optional>

#include "grids/levels/strong_clusters.hpp"
#include "grids/operators/operator.hpp"
#include "solver/multigrid/direct.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// How often the smoothers of a level run before the coarse correction and after it.
struct Rounds {
  int pre = 1, post = 1;
};

/// One level of a hierarchy and the equation A e = b on it. A level owns b and e and what they are stored as: one that
/// fuses passes, or keeps e as something to be evaluated, overrides the verbs, which are composed here of those of the
/// operator, the transfer and the smoothers (docs/design/fused.md).
class Level {
 public:
  /// A level that is solved: `exact` and `decoupled` as DirectSolver takes them.
  Level(std::shared_ptr<const Operator> A, const Operator* exact, int decoupled);
  /// One that has a coarser level: how it comes there, and what smooths it on the way there and back.
  /// The smoothers run so many `rounds`, each next to a correction on the strong_clusters; of a level without
  /// strong_clusters one.
  Level(std::shared_ptr<const Operator> A, std::unique_ptr<Transfer> to_coarser, Smoothers smoothers,
        std::shared_ptr<const StrongClusters> strong_clusters, Rounds rounds);
  virtual ~Level() = default;
  Level(const Level&) = delete;

  const Operator& A() const { return *A_; }
  const Transfer& to_coarser() const { return *to_coarser_; }
  Field& rhs() { return b_; }
  const Field& correction() const { return *e_.now; }

  /// e = 0
  virtual void clear();
  /// Smooths e, and gives the coarser level e = 0 and the residual for its right-hand side.
  virtual void descend(Level& coarse);
  /// Adds the coarser level's correction to e, and smooths it.
  virtual void ascend(const Level& coarse);
  /// e = P coarse, and e itself.
  const Field& prolonged(const Field& coarse);
  /// e = A⁻¹ b, on a level that is solved.
  void solve();
  /// Preconditioner::correct, on the finest level.
  virtual void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
                       Scalar& norm);

 private:
  Level(std::shared_ptr<const Operator> A, bool alone);

  std::shared_ptr<const Operator> A_;
  std::unique_ptr<Transfer> to_coarser_;
  Smoothers smoothers_;
  std::shared_ptr<const StrongClusters> strong_clusters_;  // null for none
  Rounds rounds_;
  std::optional<DirectSolver> direct_;
  Field b_, first_, second_;
  Iterate e_;
};

}  // namespace poisson
