#include "backends/cuda/injection.hpp"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backends/memory/error.hpp"

namespace poisson::cuda::injection {
namespace {

// These count down to the call that fails. At 0 no call fails.
long allocations = 0, kernels = 0;

bool last(long& count) {
  return count > 0 && --count == 0;
}

long number_after(std::string_view prefix, std::string_view text) {
  if (text.substr(0, prefix.size()) != prefix) return 0;
  long number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, number);
  return error == std::errc() && stop == end && number > 0 ? number : 0;
}

}  // namespace

void arm() {
  allocations = kernels = 0;
  const char* const text = std::getenv("POISSON_INJECT");
  if (!text) return;
  allocations = number_after("allocation:", text);
  kernels = number_after("kernel:", text);
  if (allocations + kernels == 0)
    throw InputError("POISSON_INJECT is '" + std::string(text) +
                     "' (a testing aid: allocation:N or kernel:N with N from 1): unset it");
}

bool allocation_fails() {
  return last(allocations);
}

bool kernel_fails() {
  return last(kernels);
}

}  // namespace poisson::cuda::injection
