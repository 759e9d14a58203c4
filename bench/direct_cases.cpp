#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/cases.hpp"
#ifdef POISSON_HAVE_CUDA
#include "bench/cufft.hpp"
#endif

namespace poisson::bench {
namespace {

constexpr Size cube(int n) {
  return {3, {n, n, n}};
}
constexpr Size square(int n) {
  return {2, {n, n, 1}};
}

// Lists the sizes for each kind of problem: powers of two, primes, other factors, a long box, and the plane.
struct Sizes {
  std::string_view problem;
  std::vector<Size> sizes;
};
std::vector<Sizes> table() {
  return {{"direct",
           {cube(256), cube(500), cube(509), cube(512), cube(1024), Size{3, {450, 612, 333}}, Size{3, {333, 1001, 77}},
            square(4096), Size{2, {1999, 3001, 1}}}},
          {"direct-neumann", {cube(256), cube(500), cube(509), cube(512), square(4096)}},
          {"direct-periodic", {cube(256), cube(500), cube(509), cube(512), square(4096)}},
          {"direct-cells", {cube(500), cube(512)}},
          {"direct-mixed", {cube(512)}},
          {"direct-stretched", {cube(512), square(4096)}},
          {"direct-stretched-all", {cube(512)}},
          {"direct-stretched-symmetric", {cube(512)}}};
}
std::vector<Size> references() {
  return {cube(256), cube(500), cube(509), cube(512), square(4096)};
}

std::vector<double> time_cufft(const Size& size, const Setting& setting) {
#ifdef POISSON_HAVE_CUDA
  const auto backend = make_backend(setting.device);
  if (!backend->on_gpu()) throw RunError("cuFFT takes a GPU (this is a CPU)");
  return cufft_pairs(*backend, size, setting.repeat);
#else
  static_cast<void>(size), static_cast<void>(setting);
  throw RunError("cuFFT takes a GPU (this build has no CUDA)");
#endif
}

}  // namespace

bool measure_cufft(std::span<const Size> sizes, const Setting& setting, const Report& report) {
  bool all_right = true;
  for (const Size& size : sizes.empty() ? references() : std::vector(sizes.begin(), sizes.end())) {
    Measurement m;
    m.name = "cufft";
    m.size = size;
    m.cells = size.cells[0];
    m.unknowns = 1;
    for (int d = 0; d < size.dimension; ++d) m.unknowns *= size.cells[static_cast<std::size_t>(d)];
    try {
      std::vector<double> seconds = time_cufft(size, setting);
      summarize(seconds, m);
    } catch (const RunError& error) {
      m.failed = error.what();
      all_right = false;
    }
    report(m);
  }
  return all_right;
}

bool measure_direct(std::span<const Size> sizes, const Setting& setting, const Report& report) {
  const std::array copy{kernel_cases().front()};
  for (const Size& size :
       sizes.empty() ? std::vector{cube(512), square(4096)} : std::vector(sizes.begin(), sizes.end()))
    measure_kernels(copy, size, setting, report);
  bool all_right = measure_cufft(sizes, setting, report);
  for (const Sizes& row : table())
    all_right &= measure_sizes(row.problem, sizes.empty() ? row.sizes : sizes, setting, report);
  return all_right;
}

}  // namespace poisson::bench
