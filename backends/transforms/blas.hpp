#pragma once

#include <cstddef>
#include <span>

#include "backends/memory/shared_library.hpp"

namespace poisson {

/// Provides the host's BLAS and LAPACK, loaded on first use: OpenBLAS, or the library that $POISSON_BLAS names.
/// Matrices are column-major. Errors are RunErrors that name the remedy.
class Blas {
 public:
  /// Throws RunError if there is no such library.
  static const Blas& get();
  /// Returns the address space that the library reserves in addition to memory; most of it is never touched.
  static std::size_t addresses();

  /// Computes C = op(A) op(B), with C of m × n and the inner dimension k.
  void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda, const double* b,
                int ldb, double* c, int ldc) const;
  void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda, const float* b,
                int ldb, float* c, int ldc) const;
  /// Computes the eigenvalues and eigenvectors of a symmetric tridiagonal matrix. The eigenvalues overwrite `diagonal`
  /// in ascending order; the eigenvectors are the columns of `vectors`. `off` is overwritten.
  void tridiagonal_eigenvectors(std::span<double> diagonal, std::span<double> off, std::span<double> vectors) const;
  /// Solves A v = λ B v with B positive definite. `values` receives the eigenvalues in ascending order; the
  /// eigenvectors, with vᵀBv = 1, overwrite A. B is overwritten.
  void eigenvectors(std::span<double> a, std::span<double> b, std::span<double> values) const;

 private:
  Blas();
  template <class F>
  void find(F*& function, const char* name) const;

  SharedLibrary library_;
  void (*dgemm_)(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                 const double*, const int*, const double*, double*, const int*) = nullptr;
  void (*sgemm_)(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
                 const float*, const int*, const float*, float*, const int*) = nullptr;
  void (*dstevd_)(const char*, const int*, double*, double*, double*, const int*, double*, const int*, int*, const int*,
                  int*) = nullptr;
  void (*dsygvd_)(const int*, const char*, const char*, const int*, double*, const int*, double*, const int*, double*,
                  double*, const int*, int*, const int*, int*) = nullptr;
};

}  // namespace poisson
