#include "lab/harness/session.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <sys/resource.h>

#include "backends/device/device.hpp"
#include "backends/device/probe.hpp"
#include "lab/harness/contents.hpp"
#include "lab/harness/device_memory.hpp"
#include "lab/harness/study.hpp"
#include "lab/harness/with_cuda.hpp"

namespace poisson::lab {
namespace {

// Returns the median of the batches, and the half-width of their middle half. On a CPU other processes only add time:
// there the lower quartile estimates the work, and slower batches count as scatter.
Timing timing_of(std::vector<double> batches, bool on_gpu) {
  std::ranges::sort(batches);
  const std::size_t count = batches.size(), quarter = count / 4;
  const double middle = batches[on_gpu ? count / 2 : quarter];
  return {middle, on_gpu ? (batches[count - 1 - quarter] - batches[quarter]) / 2 / middle
                         : (batches[count / 2] - batches[0]) / 2 / middle};
}

// Returns how often the system has preempted our threads so far.
long interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

Session::Session(const std::string& device, bool quick, std::string* note)
    : backend_(make_backend(device, note)), quick_(quick), timer_(backend_->make_timer()) {
  // The limit is a share of the free memory, small enough that allocation and checks are fast.
  const std::size_t free = device_memory(*backend_).free, most = std::size_t{on_gpu() ? 20U : 1U} << 30;
  memory_ = free > 0 ? std::min(most, free / 10 * 9) : most;
}

std::size_t Session::beyond_caches() const {
  return on_gpu() ? std::size_t{1} << 30 : std::size_t{256} << 20;
}

Timing Session::time(const std::function<void()>& work) {
  const auto batch = [&](int calls) {
    timer_->start("study");
    for (int i = 0; i < calls; ++i) work();
    timer_->stop();
    return timer_->laps().back() / calls;
  };
  work();
  const double once = batch(1), filled = quick_ ? 3e-4 : 1e-3;
  const int calls = static_cast<int>(std::clamp(std::ceil(filled / once), 1.0, 10000.0));
  std::vector<double> seconds(on_gpu() ? (quick_ ? 5 : 11) : 12);
  std::size_t again = on_gpu() ? 0 : 2 * seconds.size();  // batches that may be repeated
  for (double& lap : seconds)
    for (bool disturbed = true; disturbed;) {
      const long before = interruptions();
      lap = batch(calls);
      disturbed = again > 0 && interruptions() > before;
      if (disturbed) --again;
    }
  return timing_of(std::move(seconds), on_gpu());
}

double Session::copy_bandwidth() {
  if (copy_bandwidth_ == 0) {
    const std::size_t bytes = std::min(on_gpu() ? 4 * beyond_caches() : beyond_caches(), memory() / 2);
    const Buffer x = backend_->allocate(bytes), y = backend_->allocate(bytes);
    fill_random(*backend_, x.data(), bytes, 1);
    copy_bandwidth_ = poisson::copy_bandwidth(*backend_, x.data(), y.data(), bytes);
  }
  return copy_bandwidth_;
}

const Machine& Session::machine() {
  if (machine_.copy == 0) {
    machine_.gpu = on_gpu();
    machine_.copy = 1e-9 * copy_bandwidth();
    machine_.theory = 1e-9 * device_memory(*backend_).bandwidth;
    if constexpr (with_cuda)
      if (on_gpu()) {
        machine_.multiprocessors = gpu::multiprocessor_count();
        machine_.gigahertz = gpu::measured_gigahertz(*backend_);
        machine_.host = make_cpu_backend()->device();
      }
  }
  return machine_;
}

double Session::noise() const {
  return on_gpu() ? Panel::gpu_noise : Panel::host_noise;
}

void Session::check(bool right, std::string_view study, std::string_view variant, const std::string& what) const {
  if (!right)
    throw WrongResult(std::string(study) + ", " + std::string(variant) + ": " + what +
                      " (the variant computes something else than its oracle): no time of it is shown");
}

}  // namespace poisson::lab
