#pragma once

#include "grids/operator.hpp"

namespace poisson {

/// The exact solution of a small level through the dense inverse of its operator, computed once on the host by
/// Cholesky's method. Where the operator is singular, the inverse on vectors without mean.
class DirectSolver {
 public:
  /// Throws RunError where the operator is not positive (semi)definite.
  explicit DirectSolver(const Operator& A);
  void solve(const Field& b, Field& u) const;

 private:
  Backend& backend_;
  int size_ = 0;
  Buffer index_, inverse_;
};

}  // namespace poisson
