#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/fallbacks/rows.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// Multigrid by aggregates of what is strongly coupled (Notay, Electron. Trans. Numer. Anal. 37, 2010; the quality of
/// pairs: Napov, Notay, SIAM J. Sci. Comput. 34, 2012), with Gauss–Seidel and K-cycles, on the host: slower than what
/// knows the grid, and indifferent to how κ, σ and the cells vary. Couplings of aggregates are sums of couplings.
class Aggregation final : public Preconditioner {
 public:
  /// A in fp64, of reach 1.
  explicit Aggregation(std::shared_ptr<const Operator> A);

  Field& rhs() override { return rhs_; }
  void solve() override;
  const Field& correction() const override { return e_; }

 private:
  using Vector = std::vector<double>;
  struct Level {
    Rows rows;
    Vector inverse;                     ///< of the diagonal
    std::vector<std::int32_t> coarser;  ///< the aggregate of each value; −1: none, sweeps alone solve for it
    std::size_t aggregates = 0;
    Vector z, r, given, c, v, d, w;  ///< of the cycle
  };

  void cycle(std::size_t level, const Vector& b, Vector& x);
  void solve_coarse(std::size_t level, const Vector& b, Vector& x);

  std::shared_ptr<const Operator> A_;
  std::vector<Level> levels_;
  Vector dense_;  // the coarsest level's factors
  Field rhs_, e_;
};

}  // namespace poisson
