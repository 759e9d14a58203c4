#pragma once

// The tests run on one device, with the same test bodies for all backends. POISSON_TEST_DEVICE names it like
// backend.device; the default is the CPU.

#include <cstdlib>
#include <memory>
#include <string>

#include "backends/device/device.hpp"

namespace poisson {

inline std::string test_device() {
  const char* const name = std::getenv("POISSON_TEST_DEVICE");
  return name && *name ? name : "cpu";
}

inline bool on_cpu() {
  return test_device() == "cpu";
}

inline std::unique_ptr<Backend> test_backend() {
  return make_backend(test_device());
}

}  // namespace poisson
