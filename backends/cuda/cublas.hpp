#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "backends/device/backend.hpp"
#include "backends/memory/shared_library.hpp"

namespace poisson::cuda {

/// Multiplies matrices by cuBLAS. The constructor loads the library, so that the program starts without it. The header
/// of cuBLAS is not needed: these functions have had the same signatures since CUDA 11. Products can be recorded.
class Cublas {
 public:
  /// Throws RunError if the library is missing. $POISSON_CUBLAS may give its path.
  explicit Cublas(Backend& backend);
  ~Cublas();
  Cublas(const Cublas&) = delete;

  /// Describes C = op(A) op(B) for column-major matrices, with C of m × n and the inner dimension k. There are
  /// `batches` products, whose matrices begin `stride_a`, `stride_b` and `stride_c` elements apart.
  struct Shape {
    bool transpose_a, transpose_b;
    int m, n, k, lda, ldb, ldc, batches;
    long long stride_a, stride_b, stride_c;
  };
  void multiply(cudaStream_t stream, const Shape& shape, const double* a, const double* b, double* c) const;
  void multiply(cudaStream_t stream, const Shape& shape, const float* a, const float* b, float* c) const;

  /// NVIDIA recommends a workspace of this size, in bytes, for Hopper.
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
