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

/// Unknowns of a box that is not dissected any more, and rows of a front that a single thread eliminates.
constexpr int dissection_leaf = 32, dissection_serial = 256;

/// Eliminates a full front of so many rows, to measure how long this takes.
void eliminate_front(std::int64_t rows);

/// A = L D Lᵀ on the host, by nested dissection of the box (George, SIAM J. Numer. Anal. 10, 1973) and dense fronts
/// (Duff, Reid, ACM Trans. Math. Softw. 9, 1983): what solves where no cycle does. Rows of reach 1.
///
/// Matrices are held as couplings c = −a and row sums s = A·1, and the pivot is s + Σ c over what is not eliminated
/// (Alfa, Xue, Ye, Math. Comp. 71, 2002): c and s of what remains grow by c cᵀ/d and c s/d. Where couplings are not
/// negative, as those of finite volumes, nothing is ever subtracted, and the factors have all their digits however
/// nearly singular A is.
class Factorization final : public Preconditioner {
 public:
  struct Cost {
    double flops = 0;
    std::size_t bytes = 0;  ///< of the factors and, at most, of the fronts while they are made
  };

  /// Orders the unknowns of A. A in fp64.
  explicit Factorization(std::shared_ptr<const Operator> A);
  Cost cost() const { return cost_; }

  /// Eliminates. Before the first solve.
  void factorize();

  Field& rhs() override { return rhs_; }
  void solve() override;
  const Field& correction() const override { return e_; }

 private:
  /// Unknowns that are eliminated one after another, and those beyond that their elimination couples.
  struct Node {
    std::int64_t first = 0, last = 0;  ///< in the order of elimination
    std::vector<std::int64_t> border;  ///< ascending, all ≥ last
    std::vector<int> children;
    std::vector<double> columns;  ///< c/d below the diagonal, column by column, each of all rows of the front
    std::vector<double> inverse;  ///< of the pivots
    std::int64_t own() const { return last - first; }
    std::int64_t rows() const { return own() + static_cast<std::int64_t>(border.size()); }
  };
  int dissect(std::array<int, 3> from, std::array<int, 3> to, std::array<bool, 3> closed);
  void find_borders();
  void eliminate(Node& node, const Rows& rows, std::vector<std::vector<double>>& updates);

  std::shared_ptr<const Operator> A_;
  UnknownBox box_;
  std::vector<Node> nodes_;             // children before parents
  std::vector<std::int64_t> order_;     // of each unknown, x fastest
  std::vector<std::int64_t> unknowns_;  // the unknown of each place in the order
  Cost cost_;
  Field rhs_, e_;
};

}  // namespace poisson
