// Every test program starts here. It runs on the device that POISSON_TEST_DEVICE names. If that does not exist, it
// exits with the status for skipped tests.

#include <cstdio>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "tests/device.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  testing::InitGoogleTest(&argc, argv);
  try {
    if (!poisson::on_cpu()) std::printf("on %s\n", poisson::test_backend()->device().c_str());
  } catch (const poisson::InputError& error) {
    std::printf("skipped: %s\n", error.what());
    return skipped;
  }
  return RUN_ALL_TESTS();
}
