#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "grids/levels/islands.hpp"
#include "grids/operators/operator.hpp"
#include "solver/multigrid/direct.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// One level of a multigrid hierarchy: A u = b, u and v in turn holding the iterate.
struct Level {
  std::shared_ptr<const Operator> A;
  std::unique_ptr<Transfer> to_coarser;  ///< null on the coarsest level
  Smoothers smoothers;
  std::shared_ptr<const Islands> islands;  ///< null for none
  bool twice = false;                      ///< visited twice by a W-cycle of the next finer level
  Field b, u, v;
  Field solution;  ///< full multigrid, coarser levels only: the level's own solution, Dirichlet data included
};

/// Geometric multigrid (Trottenberg, Oosterlee, Schüller, Multigrid, 2001, chapters 2 and 3) as V, W or F cycle.
/// A W-cycle visits a level twice where it has at most a third of the unknowns of the last one that was: so its work
/// stays in proportion to the unknowns (there, section 2.4.3) where levels coarsen one axis alone.
class Multigrid final : public Preconditioner {
 public:
  /// `options` resolved.
  Multigrid(Hierarchy hierarchy, const Options& options);

  Field& rhs() override { return levels_.front().b; }
  const Field& solve() override { return *cycle(0, cycle_).now; }

  int levels() const { return static_cast<int>(levels_.size()); }
  const Operator& finest() const { return *levels_.front().A; }

  /// Full multigrid start: from the coarsest level upwards solve, interpolate cubically, one cycle, down to level 1,
  /// and interpolate to the finest. Reads the Dirichlet data from u and writes its unknowns. b is the right-hand side
  /// of the finest level; `scale` and `inverse` bring it into the range of the levels' precision and back.
  void start(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse);

 private:
  Iterate cycle(std::size_t level, Cycle type);
  void improve(std::size_t level, Iterate& u, Cycle type);

  Backend& backend_;
  Cycle cycle_;
  std::vector<Level> levels_;
  std::optional<DirectSolver> coarsest_;
  Scalar one_;
};

}  // namespace poisson
