#include "solver/multigrid/direct.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#include "grids/compact/explicit_entries.hpp"
#include "grids/levels/uncoupled_blocks.hpp"
#include "solver/direct/sparse_inverse.hpp"

namespace poisson {
namespace {

[[noreturn]] void refuse() {
  throw RunError(
      "the coarsest level's matrix is not positive definite (a coefficient or reaction that is not "
      "positive, or out of the range of numbers)",
      Remedy::positive_definite);
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

// Returns the matrices of all blocks. An operator that knows its entries states them, and has one block.
BlockMatrices matrices_of(const Operator& A, const UncoupledBlocks& blocks, Field& u, Field& Au) {
  const auto* const known = dynamic_cast<const ExplicitEntries*>(&A);
  if (!known) return read_matrices(A, blocks, u, Au);
  const auto size = static_cast<std::size_t>(blocks.rows());
  BlockMatrices found{known->dense(), std::vector<double>(size)};
  for (std::size_t i = 0; i < size && !A.singular(); ++i)
    for (std::size_t j = 0; j < size; ++j) found.sums[i] += found.entries[i * size + j];
  return found;
}

}  // namespace

DirectSolver::DirectSolver(const Operator& fields, const Operator* exact, const UncoupledBlocks* uncoupled)
    : backend_(fields.backend()) {
  const Operator& A = exact ? *exact : fields;
  const UncoupledBlocks blocks = uncoupled ? *uncoupled : UncoupledBlocks(A.space().part().unknowns());
  blocks_ = blocks.count();
  rows_ = blocks.rows();
  const auto size = static_cast<std::size_t>(rows_), rows = static_cast<std::size_t>(blocks_) * size;
  index_ = backend_.allocate(rows * sizeof(std::int64_t));
  inverse_ = backend_.allocate(rows * size * sizeof(double));
  Field u(A.backend(), A.space(), A.precision()), Au(A.backend(), A.space(), A.precision());
  if (rehearses(backend_)) return;
  const std::vector<std::int64_t> index = offsets_of(blocks, A.space(), fields.precision());
  auto [matrices, sums] = matrices_of(A, blocks, u, Au);
  for (std::size_t block = 0; block < static_cast<std::size_t>(blocks_); ++block) {
    const std::span<double> matrix(matrices.data() + block * size * size, size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j)  // removes asymmetry from rounding
        matrix[i * size + j] = matrix[j * size + i] = 0.5 * (matrix[i * size + j] + matrix[j * size + i]);
    if (!invert_sparse(matrix, std::span<double>(sums.data() + block * size, size), size)) refuse();
    if (A.singular()) project(matrix, size);
  }
  backend_.write(index.data(), index_.data(), index.size() * sizeof(std::int64_t));
  backend_.write(matrices.data(), inverse_.data(), matrices.size() * sizeof(double));
}

void DirectSolver::solve(const Field& b, Field& u) const {
  backend_.dense_product(inverse_, index_, rows_, blocks_, b, u);
}

}  // namespace poisson
