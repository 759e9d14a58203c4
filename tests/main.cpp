// Every test program begins here: it runs on the device that POISSON_TEST_DEVICE names and, where there is none, ends
// with the status that says skipped.

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
