#include "lab/harness/session.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/device.hpp"
#include "backends/probe.hpp"
#include "lab/harness/contents.hpp"
#include "lab/harness/device_memory.hpp"

namespace poisson::lab {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Session::Session(const std::string& device, bool quick, std::string* note)
    : backend_(make_backend(device, note)), quick_(quick), timer_(backend_->make_timer()) {
  // A share of what is free, and no more than takes a moment to allocate and to check.
  const std::size_t free = device_memory(*backend_).free, most = std::size_t{on_gpu() ? 20U : 1U} << 30;
  memory_ = free > 0 ? std::min(most, free / 10 * 9) : most;
}

std::size_t Session::beyond_caches() const {
  return on_gpu() ? std::size_t{1} << 30 : std::size_t{256} << 20;
}

double Session::time(const std::function<void()>& work) {
  const auto batch = [&](int calls) {
    timer_->start("study");
    for (int i = 0; i < calls; ++i) work();
    timer_->stop();
    return timer_->laps().back() / calls;
  };
  work();
  const double once = batch(1), filled = quick_ ? 3e-4 : 1e-3;
  const int calls = static_cast<int>(std::clamp(std::ceil(filled / once), 1.0, 10000.0));
  std::vector<double> seconds(quick_ ? 5 : 11);
  for (double& lap : seconds) lap = batch(calls);
  return median(std::move(seconds));
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

void Session::check(bool right, std::string_view study, std::string_view variant, const std::string& what) const {
  if (!right)
    throw WrongResult(std::string(study) + ", " + std::string(variant) + ": " + what +
                      " (the variant computes something else than its oracle): no time of it is shown");
}

}  // namespace poisson::lab
