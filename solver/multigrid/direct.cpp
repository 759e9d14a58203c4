#include "solver/multigrid/direct.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Replaces a symmetric positive definite row-major matrix by its inverse, A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹. `sums`: A·1. Pivots are
// the sum of a row and of its couplings to rows not yet eliminated. So nothing cancels if couplings are not negative,
// and a nearly singular matrix is inverted to all digits (factorization.hpp).
void invert(std::span<double> a, std::span<double> sums, std::size_t n) {
  constexpr double rounding = 1e-10;
  // On flat elements entries of both signs cancel, so a pivot may be as negative as the rounding of its row.
  std::vector<double> cancelled(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      cancelled[k] += 16 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
                      std::abs(a[std::max(i, k) * n + std::min(i, k)]);
  for (std::size_t k = 0; k < n; ++k) {
    double pivot = sums[k], size = std::abs(sums[k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      pivot -= a[i * n + k];
      size += std::abs(a[i * n + k]);
    }
    if (!(pivot >= -std::max(rounding * size, cancelled[k])) || !std::isfinite(size))
      throw RunError(
          "the coarsest level's matrix is not positive definite (a coefficient or reaction that is not "
          "positive, or out of the range of numbers)",
          Remedy::positive_definite);
    // A pivot that consists only of rounding counts as zero, and the inverse omits its kernel.
    a[k * n + k] = pivot > 4 * std::numeric_limits<double>::epsilon() * size ? 1 / pivot : 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * a[k * n + k];
      for (std::size_t j = k + 1; j < i; ++j) a[i * n + j] -= factor * a[j * n + k];
      sums[i] -= factor * sums[k];
    }
    for (std::size_t i = k + 1; i < n; ++i) a[i * n + k] *= a[k * n + k];
  }
  for (std::size_t j = 0; j < n; ++j)  // computes L⁻¹ below the diagonal by columns
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = j + 1; k < i; ++k) sum += a[i * n + k] * a[k * n + j];
      a[i * n + j] = -sum;
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? a[i * n + i] : a[i * n + i] * a[i * n + j];
      for (std::size_t k = i + 1; k < n; ++k) sum += a[k * n + i] * a[k * n + k] * a[k * n + j];
      a[j * n + i] = sum;
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
}

// Projects Q on both sides to vectors without a mean.
void project(std::span<double> q, std::size_t n) {
  std::vector<double> means(n);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) means[i] += q[i * n + j] / static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) q[i * n + j] -= means[i] + means[j] - mean;
}

}  // namespace

DirectSolver::DirectSolver(const Operator& fields, const Operator* exact, int decoupled) : backend_(fields.backend()) {
  const Operator& A = exact ? *exact : fields;
  const Box box = A.unknowns();
  std::array<int, 3> n{};
  for (std::size_t d = 0; d < 3; ++d) n[d] = box.last[d] - box.first[d];
  // Returns the position of unknown `row` in a block, which spans the axes other than `decoupled`.
  const auto place = [&](int block, int row) {
    std::array<int, 3> at{};
    for (std::size_t d = 0; d < 3; ++d) {
      if (static_cast<int>(d) == decoupled) {
        at[d] = box.first[d] + block;
      } else {
        at[d] = box.first[d] + row % n[d];
        row /= n[d];
      }
    }
    return at;
  };
  blocks_ = decoupled < 0 ? 1 : n[static_cast<std::size_t>(decoupled)];
  rows_ = n[0] * n[1] * n[2] / blocks_;
  const auto size = static_cast<std::size_t>(rows_), blocks = static_cast<std::size_t>(blocks_);

  std::vector<std::int64_t> index;
  std::vector<double> matrices(blocks * size * size), sums;
  const auto host = make_cpu_backend();
  dispatch(fields.precision(), [&]<class T>(T) {
    const Field numbered(*host, A.space(), precision_of<T>);
    const auto view = numbered.view<T>();
    for (int block = 0; block < blocks_; ++block)
      for (int row = 0; row < rows_; ++row) {
        const auto [i, j, k] = place(block, row);
        index.push_back(i + j * view.sy + k * view.sz);
      }
  });
  Field unit(*host, A.space(), A.precision()), image(*host, A.space(), A.precision());
  Field u(A.backend(), A.space(), A.precision()), Au(A.backend(), A.space(), A.precision());
  dispatch(A.precision(), [&]<class T>(T) {
    const auto in = unit.view<T>();
    const auto out = image.view<T>();
    const auto multiply = [&](int first, int last) {
      host->fill(unit, 0);
      for (int block = 0; block < blocks_; ++block)
        for (int column = first; column < last; ++column) {
          const auto [i, j, k] = place(block, column);
          in(i, j, k) = T(1);
        }
      transfer(unit, u);
      A.apply(u, Au);
      transfer(Au, image);
    };
    multiply(0, rows_);
    for (int block = 0; block < blocks_; ++block)
      for (int row = 0; row < rows_; ++row) {
        const auto [i, j, k] = place(block, row);
        sums.push_back(A.singular() ? 0 : static_cast<double>(out(i, j, k)));
      }
    // One product gives the same column of all blocks.
    for (int column = 0; column < rows_; ++column) {
      multiply(column, column + 1);
      for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t row = 0; row < size; ++row) {
          const auto [i, j, k] = place(static_cast<int>(block), static_cast<int>(row));
          matrices[(block * size + row) * size + static_cast<std::size_t>(column)] = static_cast<double>(out(i, j, k));
        }
    }
  });
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::span<double> matrix(matrices.data() + block * size * size, size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j)  // removes asymmetry from rounding
        matrix[i * size + j] = matrix[j * size + i] = 0.5 * (matrix[i * size + j] + matrix[j * size + i]);
    invert(matrix, std::span(sums.data() + block * size, size), size);
    if (A.singular()) project(matrix, size);
  }
  index_ = backend_.allocate(index.size() * sizeof(std::int64_t));
  backend_.write(index.data(), index_.data(), index.size() * sizeof(std::int64_t));
  inverse_ = backend_.allocate(matrices.size() * sizeof(double));
  backend_.write(matrices.data(), inverse_.data(), matrices.size() * sizeof(double));
}

void DirectSolver::solve(const Field& b, Field& u) const {
  backend_.dense_product(inverse_, index_, rows_, blocks_, b, u);
}

}  // namespace poisson
