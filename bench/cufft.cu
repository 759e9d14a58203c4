#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/toolkit.hpp"
#include "backends/memory/error.hpp"
#include "bench/cufft.hpp"

namespace poisson::bench {
namespace {

constexpr const char* remedy = ": install libcufft of the CUDA toolkit, or name it in POISSON_CUFFT";

void require(int status, const char* what) {
  if (status != 0)
    throw RunError(std::string("cuFFT's ") + what + " returned " + std::to_string(status) + remedy, Remedy::none);
}

// Declares the few functions that are used, without cuFFT's header: their signatures have not changed since CUDA 5.
class Cufft {
 public:
  explicit Cufft(const Size& size, cudaStream_t stream) : library_(cuda::toolkit_library("POISSON_CUFFT", "cufft")) {
    // cuFFT has its own version numbers: 11 came with CUDA 12.
    if (!library_)
      library_ = SharedLibrary("POISSON_CUFFT", {"libcufft.so.11", "/usr/local/cuda/lib64/libcufft.so.11"});
    if (!library_) throw RunError("no cuFFT (" + library_.reason() + ")" + remedy);
    find(plan_2d_, "cufftPlan2d");
    find(plan_3d_, "cufftPlan3d");
    find(set_stream_, "cufftSetStream");
    find(forward_, "cufftExecD2Z");
    find(inverse_, "cufftExecZ2D");
    find(destroy_, "cufftDestroy");
    constexpr int real_to_complex = 0x6a, complex_to_real = 0x6c;
    const auto& [nx, ny, nz] = size.cells;
    for (const auto& [plan, type] : {std::pair{&there_, real_to_complex}, {&back_, complex_to_real}}) {
      require(size.dimension == 2 ? plan_2d_(plan, ny, nx, type) : plan_3d_(plan, nz, ny, nx, type), "plan");
      require(set_stream_(*plan, stream), "cufftSetStream");
    }
  }
  ~Cufft() {
    for (const int plan : {there_, back_})
      if (plan != 0) destroy_(plan);
  }
  Cufft(const Cufft&) = delete;

  void pair(double* values, double* coefficients) const {
    require(forward_(there_, values, coefficients), "cufftExecD2Z");
    require(inverse_(back_, coefficients, values), "cufftExecZ2D");
  }

 private:
  template <class F>
  void find(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(library_.find(name));
    if (!function) throw RunError("cuFFT lacks " + std::string(name) + remedy);
  }

  SharedLibrary library_;
  int there_ = 0, back_ = 0;
  int (*plan_2d_)(int*, int, int, int) = nullptr;
  int (*plan_3d_)(int*, int, int, int, int) = nullptr;
  int (*set_stream_)(int, cudaStream_t) = nullptr;
  int (*forward_)(int, double*, double*) = nullptr;
  int (*inverse_)(int, double*, double*) = nullptr;
  int (*destroy_)(int) = nullptr;
};

}  // namespace

std::vector<double> cufft_pairs(Backend& backend, const Size& size, int repeat) {
  const auto length = [&](int d) { return static_cast<std::size_t>(size.cells[static_cast<std::size_t>(d)]); };
  const std::size_t lines = length(1) * (size.dimension == 3 ? length(2) : 1), count = length(0) * lines;
  const Cufft cufft(size, dynamic_cast<cuda::CudaBackend&>(backend).stream());
  const Buffer values = backend.allocate(count * sizeof(double)),
               coefficients = backend.allocate((length(0) / 2 + 1) * lines * 2 * sizeof(double));
  auto* const of_values = static_cast<double*>(values.data());
  auto* const of_coefficients = static_cast<double*>(coefficients.data());
  const std::array given{0.25, -1.0, 3.5, 2.0};  // followed by zeros
  backend.write(given.data(), of_values, sizeof given);
  cufft.pair(of_values, of_coefficients);
  std::array<double, given.size()> found{};
  backend.read(of_values, found.data(), sizeof found);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!(std::abs(found[i] / static_cast<double>(count) - given[i]) <= 1e-12))
      throw RunError("a pair of cuFFT's transforms gave " + std::to_string(found[i] / static_cast<double>(count)) +
                     " for " + std::to_string(given[i]));
  const auto timer = backend.make_timer();
  for (int r = 0; r < repeat; ++r) {
    timer->start("cufft");
    cufft.pair(of_values, of_coefficients);
    timer->stop();
  }
  return timer->laps();
}

}  // namespace poisson::bench
