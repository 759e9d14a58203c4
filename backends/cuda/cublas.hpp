#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "backends/backend.hpp"
#include "backends/shared_library.hpp"

namespace poisson::cuda {

/// Matrix products by cuBLAS, which is loaded when the first one is made. Its header is not needed: the few functions
/// have had one signature since CUDA 11. Products can be recorded.
class Cublas {
 public:
  /// Throws RunError where there is no such library. $POISSON_CUBLAS names it where it lies elsewhere.
  explicit Cublas(Backend& backend);
  ~Cublas();
  Cublas(const Cublas&) = delete;

  /// C = op(A) op(B) of column-major matrices, C of m × n and the inner dimension k, `batches` times with so many
  /// elements between the matrices.
  struct Shape {
    bool transpose_a, transpose_b;
    int m, n, k, lda, ldb, ldc, batches;
    long long stride_a, stride_b, stride_c;
  };
  void multiply(cudaStream_t stream, const Shape& shape, const double* a, const double* b, double* c) const;
  void multiply(cudaStream_t stream, const Shape& shape, const float* a, const float* b, float* c) const;

  /// What it works in: as many as NVIDIA recommends for Hopper.
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

 private:
  using Handle = void*;
  template <class T>
  using Multiply = int(Handle, int, int, int, int, int, const T*, const T*, int, long long, const T*, int, long long,
                       const T*, T*, int, long long, int);
  template <class F>
  void find(F*& function, const char* name) const;
  template <class T>
  void multiply_by(Multiply<T>* product, cudaStream_t stream, const Shape& shape, const T* a, const T* b, T* c) const;

  SharedLibrary library_;
  Handle handle_ = nullptr;
  Buffer workspace_;
  int (*destroy_)(Handle) = nullptr;
  int (*set_stream_)(Handle, cudaStream_t) = nullptr;
  int (*set_workspace_)(Handle, void*, std::size_t) = nullptr;
  Multiply<double>* double_ = nullptr;
  Multiply<float>* single_ = nullptr;
};

}  // namespace poisson::cuda
