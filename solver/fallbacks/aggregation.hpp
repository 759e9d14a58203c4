#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/fallbacks/rows.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// Solves by algebraic multigrid with aggregates of strongly coupled values (Notay, Electron. Trans. Numer. Anal. 37,
/// 2010), with pair quality after Napov, Notay, SIAM J. Sci. Comput. 34, 2012. It uses Gauss–Seidel sweeps and K-cycles
/// on the host. It is slower than methods that use the grid, but it is robust for any variation of κ, σ and cell sizes.
/// Couplings of aggregates are sums of couplings.
class Aggregation final : public Preconditioner {
 public:
  /// Requires A in fp64 with reach 1.
  explicit Aggregation(std::shared_ptr<const Operator> A);

  Field& rhs() override { return rhs_; }
  void solve() override;
  const Field& correction() const override { return e_; }

 private:
  using Vector = std::vector<double>;
  struct Level {
    Rows rows;
    Vector inverse;                     ///< inverse diagonal
    std::vector<std::int32_t> coarser;  ///< aggregate of each value; −1: none, only sweeps solve for it
    std::size_t aggregates = 0;
    Vector z, r, given, c, v, d, w;  ///< work vectors
  };

  void cycle(std::size_t level, const Vector& b, Vector& x);
  void solve_coarse(std::size_t level, const Vector& b, Vector& x);

  std::shared_ptr<const Operator> A_;
  std::vector<Level> levels_;
  Vector dense_;  // factors of the coarsest level
  Field rhs_, e_;
};

}  // namespace poisson
