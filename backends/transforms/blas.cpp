#include "backends/transforms/blas.hpp"

#include <string>
#include <vector>

#include <omp.h>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

constexpr const char* remedy =
    ": install OpenBLAS (Debian: libopenblas0-pthread), or name a library that has BLAS and LAPACK in POISSON_BLAS";

void require(int info, const char* what) {
  if (info != 0)
    throw RunError(std::string("the eigenvectors of an axis were not found (LAPACK's ") + what + " returned " +
                       std::to_string(info) + ")",
                   Remedy::report);
}

}  // namespace

const Blas& Blas::get() {
  static const Blas blas;
  return blas;
}

std::size_t Blas::addresses() {
  // OpenBLAS reserves 32 MiB, and a buffer and a stack for each thread; measured with 2, 4 and 8 threads.
  constexpr std::size_t itself = std::size_t{32} << 20, of_thread = std::size_t{136} << 20;
  return itself + of_thread * static_cast<std::size_t>(omp_get_max_threads());
}

template <class F>
void Blas::find(F*& function, const char* name) const {
  function = reinterpret_cast<F*>(library_.find(name));
  if (!function) throw RunError("the library of linear algebra lacks " + std::string(name) + remedy);
}

Blas::Blas() : library_("POISSON_BLAS", {"libopenblas.so.0", "libopenblas.so", "liblapack.so.3"}) {
  if (!library_) throw RunError("no library of linear algebra (" + library_.reason() + ")" + remedy);
  find(dgemm_, "dgemm_");
  find(sgemm_, "sgemm_");
  find(dstevd_, "dstevd_");
  find(dsygvd_, "dsygvd_");
  // By default OpenBLAS starts a thread for each core of the machine; this program runs as many as OpenMP does.
  using SetThreads = void(int);
  if (auto* set_threads = reinterpret_cast<SetThreads*>(library_.find("openblas_set_num_threads")))
    set_threads(omp_get_max_threads());
}

void Blas::multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda, const double* b,
                    int ldb, double* c, int ldc) const {
  const double one = 1, zero = 0;
  dgemm_(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &ldc);
}

void Blas::multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda, const float* b,
                    int ldb, float* c, int ldc) const {
  const float one = 1, zero = 0;
  sgemm_(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &ldc);
}

void Blas::tridiagonal_eigenvectors(std::span<double> diagonal, std::span<double> off,
                                    std::span<double> vectors) const {
  const int n = static_cast<int>(diagonal.size()), ask = -1;
  double size = 0;
  int integers = 0, info = 0;
  dstevd_("V", &n, diagonal.data(), off.data(), vectors.data(), &n, &size, &ask, &integers, &ask, &info);
  const int length = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(length));
  std::vector<int> whole(static_cast<std::size_t>(integers));
  dstevd_("V", &n, diagonal.data(), off.data(), vectors.data(), &n, work.data(), &length, whole.data(), &integers,
          &info);
  require(info, "dstevd");
}

void Blas::eigenvectors(std::span<double> a, std::span<double> b, std::span<double> values) const {
  const int n = static_cast<int>(values.size()), ask = -1, kind = 1;
  double size = 0;
  int integers = 0, info = 0;
  dsygvd_(&kind, "V", "L", &n, a.data(), &n, b.data(), &n, values.data(), &size, &ask, &integers, &ask, &info);
  const int length = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(length));
  std::vector<int> whole(static_cast<std::size_t>(integers));
  dsygvd_(&kind, "V", "L", &n, a.data(), &n, b.data(), &n, values.data(), work.data(), &length, whole.data(), &integers,
          &info);
  require(info, "dsygvd");
}

}  // namespace poisson
