#include "backends/cuda/cublas.hpp"

#include <string>

#include "backends/cuda/toolkit.hpp"
#include "backends/memory/error.hpp"

namespace poisson::cuda {
namespace {

constexpr const char* install_cublas =
    ": install libcublas of the CUDA toolkit, name the library in POISSON_CUBLAS, or use method: multigrid";

void require(int status, const char* what) {
  if (status != 0)
    throw RunError(std::string("a matrix product failed (cuBLAS's ") + what + " returned " + std::to_string(status) +
                       ")" + install_cublas,
                   Remedy::none);
}

}  // namespace

template <class F>
void Cublas::find(F*& function, const char* name) const {
  function = reinterpret_cast<F*>(library_.find(name));
  if (!function) throw RunError("cuBLAS lacks " + std::string(name) + " (an old libcublas)" + install_cublas);
}

Cublas::Cublas(Backend& backend) : library_(toolkit_library("POISSON_CUBLAS", "cublas")) {
  if (!library_) throw RunError("no cuBLAS for matrix products (" + library_.reason() + ")" + install_cublas);
  int (*create)(Handle*) = nullptr;
  find(create, "cublasCreate_v2");
  find(destroy_, "cublasDestroy_v2");
  find(set_stream_, "cublasSetStream_v2");
  find(set_workspace_, "cublasSetWorkspace_v2");
  find(double_, "cublasDgemmStridedBatched");
  find(single_, "cublasSgemmStridedBatched");
  workspace_ = backend.allocate(workspace_bytes);
  require(create(&handle_), "cublasCreate");
}

Cublas::~Cublas() {
  if (handle_) destroy_(handle_);
}

template <class T>
void Cublas::multiply_by(Multiply<T>* product, cudaStream_t stream, const Shape& s, const T* a, const T* b,
                         T* c) const {
  require(set_stream_(handle_, stream), "cublasSetStream");  // which resets the workspace
  require(set_workspace_(handle_, workspace_.data(), workspace_.bytes()), "cublasSetWorkspace");
  const T one = 1, zero = 0;
  require(product(handle_, s.transpose_a, s.transpose_b, s.m, s.n, s.k, &one, a, s.lda, s.stride_a, b, s.ldb,
                  s.stride_b, &zero, c, s.ldc, s.stride_c, s.batches),
          "gemmStridedBatched");
}

void Cublas::multiply(cudaStream_t stream, const Shape& shape, const double* a, const double* b, double* c) const {
  multiply_by(double_, stream, shape, a, b, c);
}

void Cublas::multiply(cudaStream_t stream, const Shape& shape, const float* a, const float* b, float* c) const {
  multiply_by(single_, stream, shape, a, b, c);
}

}  // namespace poisson::cuda
