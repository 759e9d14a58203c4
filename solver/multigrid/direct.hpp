#pragma once

#include "grids/operators/operator.hpp"

namespace poisson {

/// The exact solution of a small level through the dense inverse of its operator, computed once on the host by
/// elimination. Where the operator is singular, the inverse on vectors without mean.
class DirectSolver {
 public:
  /// For fields of A's precision. `exact`: the same operator in fp64, to take the entries from: with couplings of very
  /// different strength the diagonal in fp32 does not know the weak ones. `decoupled`: an axis along which nothing is
  /// coupled, so that each plane across it has an inverse of its own; −1: none.
  /// Throws RunError where the operator is not positive (semi)definite.
  explicit DirectSolver(const Operator& A, const Operator* exact = nullptr, int decoupled = -1);
  void solve(const Field& b, Field& u) const;

 private:
  Backend& backend_;
  int rows_ = 0, blocks_ = 1;
  Buffer index_, inverse_;
};

}  // namespace poisson
