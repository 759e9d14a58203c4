#include "lab/studies/transpose/study.hpp"

#ifdef POISSON_HAVE_CUBLAS
#include <memory>

#include <cublas_v2.h>

#include "backends/memory/error.hpp"
#include "lab/harness/stream.cuh"
#endif

namespace poisson::lab {

#ifdef POISSON_HAVE_CUBLAS
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw RunError(std::string("cuBLAS: ") + cublasGetStatusString(status) +
                   " (in the transposition by geam): run again; if it fails again configure without cuBLAS");
}

struct Destroy {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy>;

std::shared_ptr<Handle> make_handle() {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle));
  return std::make_shared<Handle>(handle);
}

// cuBLAS is column-major, so it sees a row-major matrix as its transpose: C = Aᵀ with A columns × rows, C rows ×
// columns.
void geam(cublasHandle_t handle, const Transposition& s, const void* from, void* to) {
  const int m = static_cast<int>(s.rows), n = static_cast<int>(s.columns), lda = static_cast<int>(s.from_pitch),
            ldc = static_cast<int>(s.to_pitch);
  const auto with = [&]<class T>(auto function, T one, T zero) {
    for (std::int64_t b = 0; b < s.batch; ++b) {
      T* const c = static_cast<T*>(to) + b * s.to_stride;
      check(function(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, static_cast<const T*>(from) + b * s.from_stride, lda,
                     &zero, c, ldc, c, ldc));
    }
  };
  if (s.element == 4)
    with(cublasSgeam, 1.0F, 0.0F);
  else
    with(cublasDgeam, 1.0, 0.0);
}

}  // namespace

std::vector<TransposeVariant> geam_variants() {
  return {
      {.name = std::string(transpose_names::geam),
       .launch = [handle = make_handle()](Backend& backend, const Transposition& shape, const void* from, void* to) {
         check(cublasSetStream(handle->get(), stream_of(backend)));
         geam(handle->get(), shape, from, to);
       }}};
}
#else
std::vector<TransposeVariant> geam_variants() {
  return {};
}
#endif

}  // namespace poisson::lab
