// The inverse of a coarsest level that is a bundle of long lines.

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "solver/direct/sparse_inverse.hpp"

namespace poisson::sparse_inverse_tests {
namespace {

/// A symmetric matrix by its couplings and row sums, so that small sums are exact.
struct Matrix {
  std::size_t n;
  std::vector<double> entries, sums;

  explicit Matrix(std::size_t rows) : n(rows), entries(rows * rows), sums(rows) {}
  void couple(std::size_t i, std::size_t j, double coupling) {
    entries[i * n + j] -= coupling;
    entries[j * n + i] -= coupling;
  }
  void fill_diagonal() {
    for (std::size_t i = 0; i < n; ++i) {
      entries[i * n + i] = sums[i];
      for (std::size_t j = 0; j < n; ++j)
        if (j != i) entries[i * n + i] -= entries[i * n + j];
    }
  }
};

/// Couplings over six decades within a band, and between the ends if the line is closed.
Matrix bundle(std::size_t n, std::size_t band, bool closed) {
  Matrix a(n);
  std::mt19937 engine(7);
  const auto coupling = [&] { return std::pow(10, 6 * static_cast<double>(engine()) / 4294967296.0); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      if (j - i <= band || (closed && i + n - j <= band)) a.couple(i, j, coupling());
  a.sums[0] = 1;
  a.fill_diagonal();
  return a;
}

TEST(SparseInverse, MultipliesToTheIdentity) {
  for (const bool closed : {false, true})
    for (const std::size_t band : {1U, 7U}) {
      const std::size_t n = 300;
      const Matrix a = bundle(n, band, closed);
      std::vector<double> inverse = a.entries, sums = a.sums;
      ASSERT_TRUE(invert_sparse(inverse, sums, n));
      for (std::size_t i = 0; i < n; i += 7)
        for (std::size_t j = 0; j < n; ++j) {
          double product = 0, size = 0;
          for (std::size_t k = 0; k < n; ++k) {
            product += a.entries[i * n + k] * inverse[k * n + j];
            size += std::abs(a.entries[i * n + k] * inverse[k * n + j]);
          }
          ASSERT_NEAR(product, i == j ? 1 : 0, 1e-13 * size);
          ASSERT_EQ(inverse[i * n + j], inverse[j * n + i]);
        }
    }
}

// A chain that one end holds by a coupling of 10⁻¹², far below the rounding of its diagonal: u is 1/10⁻¹² plus the
// resistance of the chain up to the nearer one of two values.
TEST(SparseInverse, KeepsSmallRowSums) {
  const std::size_t n = 260;
  Matrix chain(n);
  for (std::size_t i = 0; i + 1 < n; ++i) chain.couple(i, i + 1, i % 2 == 0 ? 1e6 : 1);
  chain.sums[0] = 1e-12;
  chain.fill_diagonal();
  std::vector<double> inverse = chain.entries;
  ASSERT_TRUE(invert_sparse(inverse, chain.sums, n));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(inverse[i * n + n - 1 - i], 1e12, 1e12 * 1e-9);
}

TEST(SparseInverse, OmitsTheKernelOfASingularMatrix) {
  const std::size_t n = 270;
  Matrix a = bundle(n, 4, true);
  a.sums[0] = 0;
  a.fill_diagonal();
  std::vector<double> inverse = a.entries, sums = a.sums;
  ASSERT_TRUE(invert_sparse(inverse, sums, n));
  for (std::size_t i = 0; i < n; ++i) {  // A A⁻¹ (e_1 − e_2) = e_1 − e_2
    double product = 0, size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double u = inverse[k * n + 1] - inverse[k * n + 2];
      product += a.entries[i * n + k] * u;
      size += std::abs(a.entries[i * n + k] * u);
    }
    EXPECT_NEAR(product, i == 1 ? 1 : i == 2 ? -1 : 0, 1e-12 * (1 + size));
  }
}

TEST(SparseInverse, RefusesMatricesThatAreNotPositiveDefinite) {
  Matrix a = bundle(260, 3, false);
  a.sums[100] = -1e7;
  a.fill_diagonal();
  EXPECT_FALSE(invert_sparse(a.entries, a.sums, 260));
  Matrix infinite = bundle(260, 3, false);
  infinite.entries[5 * 260 + 6] = infinite.entries[6 * 260 + 5] = -INFINITY;
  EXPECT_FALSE(invert_sparse(infinite.entries, infinite.sums, 260));
}

/// Rows of coarse cells without an unknown contain only the rounding of the others, with any sign. They count as empty.
TEST(SparseInverse, OmitsRowsOfRounding) {
  std::vector<double> a{2, -1, 0, -1, 2, 1e-24, 0, 1e-24, -1e-23}, sums{1, 1, -1e-23};
  ASSERT_TRUE(invert_sparse(a, sums, 3));
  EXPECT_NEAR(a[0], 2.0 / 3, 1e-12);
  EXPECT_NEAR(a[1], 1.0 / 3, 1e-12);
  EXPECT_NEAR(a[4], 2.0 / 3, 1e-12);
  for (const std::size_t i : {2U, 5U, 6U, 7U, 8U}) EXPECT_NEAR(a[i], 0, 1e-12);
  std::vector<double> negative{2, -1, 0, -1, 2, 0, 0, 0, -1e-12}, sums_of_negative{1, 1, -1e-12};
  EXPECT_FALSE(invert_sparse(negative, sums_of_negative, 3));
}

}  // namespace
}  // namespace poisson::sparse_inverse_tests
