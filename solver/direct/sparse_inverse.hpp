#pragma once

#include <cstddef>
#include <span>

namespace poisson {

/// Replaces a symmetric positive definite row-major matrix of n rows by its inverse, A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹. Zeros are
/// skipped: a matrix of bandwidth b needs about 3 b n² operations. `sums` is A·1; pivots are sums of a row and of its
/// couplings to rows that are not yet eliminated, so nothing cancels if couplings are not negative, and a nearly
/// singular matrix is inverted to all digits (factorization.hpp). A pivot that consists only of rounding counts as
/// zero, and the inverse omits its kernel. Returns false if A is not positive definite.
bool invert_sparse(std::span<double> a, std::span<double> sums, std::size_t n);

}  // namespace poisson
