#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/fallbacks/rows.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// Nested dissection stops at this number of unknowns, and a single thread eliminates fronts up to this number of rows.
constexpr int dissection_leaf = 32, dissection_serial = 256;

/// Eliminates a full front with `rows` rows, to measure its time.
void eliminate_front(std::int64_t rows);

/// Factorizes A = L D Lᵀ on the host, with nested dissection of the box (George, SIAM J. Numer. Anal. 10, 1973) and
/// dense fronts (Duff, Reid, ACM Trans. Math. Softw. 9, 1983). It solves problems on which every cycle fails. Requires
/// rows of reach 1.
///
/// Matrices are stored as couplings c = −a and row sums s = A·1. The pivot d is s + Σ c over the values not yet
/// eliminated (Alfa, Xue, Ye, Math. Comp. 71, 2002). Elimination adds c cᵀ/d to the remaining couplings and c s/d to
/// the remaining sums. If couplings are not negative, as in finite volumes, nothing is subtracted, and the factors keep
/// all digits even if A is nearly singular.
class Factorization final : public Preconditioner {
 public:
  struct Cost {
    double flops = 0;
    std::size_t bytes = 0;  ///< factors plus peak of fronts
  };

  /// Orders the unknowns of A, which must be in fp64.
  explicit Factorization(std::shared_ptr<const Operator> A);
  Cost cost() const { return cost_; }

  /// Computes the factors. Call it before the first solve.
  void factorize();

  Field& rhs() override { return rhs_; }
  void solve() override;
  const Field& correction() const override { return e_; }

 private:
  /// Contains unknowns that are eliminated one after another, and the later unknowns that their elimination couples.
  struct Node {
    std::int64_t first = 0, last = 0;  ///< elimination positions
    std::vector<std::int64_t> border;  ///< ascending, all ≥ last
    std::vector<int> children;
    std::vector<double> columns;  ///< c/d below the diagonal, column by column, over all rows of the front
    std::vector<double> inverse;  ///< inverse pivots
    std::int64_t own() const { return last - first; }
    std::int64_t rows() const { return own() + static_cast<std::int64_t>(border.size()); }
  };
  int dissect(std::array<int, 3> from, std::array<int, 3> to, std::array<bool, 3> closed);
  void find_borders();
  void eliminate(Node& node, const Rows& rows, std::vector<std::vector<double>>& updates);

  std::shared_ptr<const Operator> A_;
  UnknownBox box_;
  std::vector<Node> nodes_;             // children before parents
  std::vector<std::int64_t> order_;     // positions, x fastest
  std::vector<std::int64_t> unknowns_;  // inverse of order_
  Cost cost_;
  Field rhs_, e_;
};

}  // namespace poisson
