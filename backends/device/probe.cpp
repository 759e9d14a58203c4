#include "backends/device/probe.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "backends/cpu/copy.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

using Copy = void (*)(Backend&, const void* from, void* to, std::size_t bytes);

// Returns the ways to copy; the fastest one counts.
std::vector<Copy> copies(const Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return {cuda::copy_by_kernel, cuda::copy_by_driver};
#endif
  if (backend.kind() == BackendKind::cpu) return {cpu::copy};
  throw RunError("there is no copy for CUDA (this build lacks it)", Remedy::host);
}

// Returns the median seconds of a copy, after a first one that is not counted.
double seconds_of(Backend& backend, const std::function<void()>& copy) {
  constexpr int repetitions = 11;
  const auto timer = backend.make_timer();
  copy();
  for (int i = 0; i < repetitions; ++i) {
    timer->start("copy");
    copy();
    timer->stop();
  }
  std::vector<double> seconds = timer->laps();
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return seconds[repetitions / 2];
}

}  // namespace

double copy_bandwidth(Backend& backend, const void* from, void* to, std::size_t bytes) {
  if (bytes == 0) throw InputError("the bandwidth of a copy of no bytes (it takes no time): use a few megabytes");
  double best = 0;
  for (const Copy copy : copies(backend)) {
    const double seconds = seconds_of(backend, [&] { copy(backend, from, to, bytes); });
    best = std::max(best, 2 * static_cast<double>(bytes) / seconds);
  }
  return best;
}

double copy_bandwidth(Backend& backend, std::size_t bytes) {
  const Buffer from = backend.allocate(bytes), to = backend.allocate(bytes);
  // Zeros might be copied faster than typical values, so the array is filled: its beginning is copied behind itself
  // until the array is full.
  std::vector<double> numbers(std::min(bytes / sizeof(double), std::size_t{1} << 16));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1 / (1 + static_cast<double>(i));
  auto* const begin = static_cast<char*>(from.data());
  std::size_t full = numbers.size() * sizeof(double);
  backend.write(numbers.data(), begin, full);
  for (; full > 0 && full < bytes; full *= 2)
    copies(backend).front()(backend, begin, begin + full, std::min(full, bytes - full));
  return copy_bandwidth(backend, from.data(), to.data(), bytes);
}

}  // namespace poisson
