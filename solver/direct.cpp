#include "solver/direct.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "backends/error.hpp"

namespace poisson {
namespace {

// A symmetric positive definite matrix, row-major, replaced by its inverse: A = L Lᵀ, then A⁻¹ = L⁻ᵀ L⁻¹.
void invert(std::vector<double>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 0))
      throw RunError(
          "the coarsest level's matrix is not positive definite (a coefficient or reaction that is not "
          "positive, or out of the range of numbers): check equation.coefficient and equation.reaction");
    const double pivot = std::sqrt(a[j * n + j]);
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= pivot;
  }
  for (std::size_t j = 0; j < n; ++j) {  // L⁻¹, column by column
    a[j * n + j] = 1 / a[j * n + j];
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += a[i * n + k] * a[k * n + j];
      a[i * n + j] = -sum / a[i * n + i];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = i; k < n; ++k) sum += a[k * n + i] * a[k * n + j];
      a[j * n + i] = sum;
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
}

}  // namespace

DirectSolver::DirectSolver(const Operator& A) : backend_(A.backend()) {
  Field u(backend_, A.layout(), A.precision()), Au(backend_, A.layout(), A.precision());
  dispatch(A.precision(), [&]<class T>(T) {
    const auto view = u.view<T>();
    const auto result = Au.view<T>();
    const Box box = A.unknowns();
    std::vector<std::int64_t> index;
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j)
        for (int i = box.first[0]; i < box.last[0]; ++i) index.push_back(i + j * view.sy + k * view.sz);

    const std::size_t n = index.size();
    std::vector<double> matrix(n * n);
    for (std::size_t column = 0; column < n; ++column) {
      const T one = 1, zero = 0;
      backend_.write(&one, view.data + index[column], sizeof(T));
      A.apply(u, Au);
      backend_.write(&zero, view.data + index[column], sizeof(T));
      for (std::size_t row = 0; row < n; ++row) {
        T value = 0;
        backend_.read(result.data + index[row], &value, sizeof(T));
        matrix[row * n + column] = static_cast<double>(value);
      }
    }
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) {
      trace += matrix[i * n + i];
      for (std::size_t j = 0; j < i; ++j)  // symmetric but for the rounding of T
        matrix[i * n + j] = matrix[j * n + i] = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
    }
    if (A.singular()) {  // lift the constant off zero: the solution then has no constant part
      const double shift = trace / static_cast<double>(n * n);
      for (double& entry : matrix) entry += shift;
    }
    invert(matrix, n);
    size_ = static_cast<int>(n);
    index_ = backend_.allocate(n * sizeof(std::int64_t));
    backend_.write(index.data(), index_.data(), n * sizeof(std::int64_t));
    inverse_ = backend_.allocate(matrix.size() * sizeof(double));
    backend_.write(matrix.data(), inverse_.data(), matrix.size() * sizeof(double));
  });
}

void DirectSolver::solve(const Field& b, Field& u) const {
  backend_.dense_product(inverse_, index_, size_, b, u);
}

}  // namespace poisson
