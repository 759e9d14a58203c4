#include "solver/multigrid/direct.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/rows/galerkin_formulas.hpp"
#include "solver/direct/sparse_inverse.hpp"

namespace poisson {
namespace {

[[noreturn]] void refuse() {
  throw RunError(
      "the coarsest level's matrix is not positive definite (a coefficient or reaction that is not "
      "positive, or out of the range of numbers)",
      Remedy::positive_definite);
}

// From this number of rows on, zeros are skipped: the level is a bundle of long lines.
constexpr int sparse_rows = 256;

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
    if (!(pivot >= -std::max(rounding * size, cancelled[k])) || !std::isfinite(size)) refuse();
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
  // Bundles of lines are numbered with the longest axis last, which gives the matrix a small bandwidth.
  std::array<std::size_t, 3> order{0, 1, 2};
  const bool sparse = decoupled < 0 && n[0] * n[1] * n[2] >= sparse_rows;
  if (sparse) std::ranges::stable_sort(order, {}, [&](std::size_t d) { return n[d]; });
  // Returns the position of unknown `row` in a block, which spans the axes other than `decoupled`.
  const auto place = [&](int block, int row) {
    std::array<int, 3> at{};
    for (const std::size_t d : order) {
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
    // The rows of a level reach one value along each axis, so one product gives all columns of a colour.
    StencilProbe probe(A.space());
    const auto coloured = [&](const std::array<int, 3>& at) {
      return probe.colour_of(at[0], at[1], at[2]) == probe.colour;
    };
    const auto number = [&](const std::array<int, 3>& at) {
      int row = 0;
      for (std::size_t l = 3; l-- > 0;) row = row * n[order[l]] + at[order[l]] - box.first[order[l]];
      return static_cast<std::size_t>(row);
    };
    for (probe.colour = 0; sparse && probe.colour < probe.colours(); ++probe.colour) {
      host->fill(unit, 0);
      for (int column = 0; column < rows_; ++column)
        if (const auto at = place(0, column); coloured(at)) in(at[0], at[1], at[2]) = T(1);
      transfer(unit, u);
      A.apply(u, Au);
      transfer(Au, image);
      for (int row = 0; row < rows_; ++row) {
        const std::array<int, 3> at = place(0, row);
        for (int code = 0; code < 27; ++code) {
          std::array<int, 3> there{};
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) {
            there[d] = at[d] + offset_of(code, static_cast<int>(d));
            if (probe.periodic[d]) there[d] = (there[d] + probe.n[d]) % probe.n[d];
            inside = inside && there[d] >= box.first[d] && there[d] < box.last[d];
          }
          if (inside && coloured(there))
            matrices[static_cast<std::size_t>(row) * size + number(there)] =
                static_cast<double>(out(at[0], at[1], at[2]));
        }
      }
    }
    // One product gives the same column of all blocks.
    for (int column = 0; !sparse && column < rows_; ++column) {
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
    const std::span<double> row_sums(sums.data() + block * size, size);
    if (!sparse)
      invert(matrix, row_sums, size);
    else if (!invert_sparse(matrix, row_sums, size))
      refuse();
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
