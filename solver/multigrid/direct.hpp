#pragma once

#include "grids/operators/operator.hpp"

namespace poisson {

/// Solves a small level exactly with the dense inverse of its operator, computed once on the host by elimination. For a
/// singular operator it is the inverse on vectors without a mean.
class DirectSolver {
 public:
  /// Works on fields of A's precision. `exact` is the same operator in fp64 and provides the entries: with couplings of
  /// very different strength, the fp32 diagonal loses the weak ones. Each of the `uncoupled` blocks has its own
  /// inverse; null: one block. Throws RunError if the operator is not positive (semi)definite.
  explicit DirectSolver(const Operator& A, const Operator* exact = nullptr, const UncoupledBlocks* uncoupled = nullptr);
  void solve(const Field& b, Field& u) const;

 private:
  Backend& backend_;
  int rows_ = 0, blocks_ = 1;
  Buffer index_, inverse_;
};

}  // namespace poisson
