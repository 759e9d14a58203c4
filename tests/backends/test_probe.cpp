// The probe of bandwidth must copy its bytes exactly.

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/probe.hpp"
#include "backends/memory/error.hpp"
#include "tests/device.hpp"

namespace poisson::probe_tests {
namespace {

// Sizes that cut the last word and starts that are not aligned must not change the bytes behind the copy.
TEST(Probe, CopiesEveryByteAndNoOther) {
  const auto backend = test_backend();
  for (const std::size_t bytes : {1u, 15u, 16u, 100'003u, 5'000'000u})
    for (const std::size_t shift : {0u, 1u}) {
      std::vector<unsigned char> given(bytes + 64), found(given.size());
      for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<unsigned char>(1 + i * 7 % 251);
      const Buffer from = backend->allocate(given.size()), to = backend->allocate(given.size());
      backend->write(given.data(), from.data(), given.size());
      const double rate = copy_bandwidth(*backend, static_cast<const char*>(from.data()) + shift,
                                         static_cast<char*>(to.data()) + shift, bytes);
      EXPECT_GT(rate, 0);
      backend->read(to.data(), found.data(), found.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i], i >= shift && i < bytes + shift ? given[i] : 0) << i << " of " << bytes << " bytes";
    }
}

TEST(Probe, IsOfTheOrderOfAMemory) {
  const auto backend = test_backend();
  const double rate = copy_bandwidth(*backend, std::size_t{64} << 20);
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 1e14);
}

TEST(Probe, GivesItsMemoryBack) {
  const auto backend = test_backend();
  const std::size_t before = backend->memory().now();
  copy_bandwidth(*backend, 1'000'000);
  EXPECT_EQ(backend->memory().now(), before);
  EXPECT_GE(backend->memory().peak(), before + 2'000'000);
}

TEST(Probe, RefusesNoBytes) {
  const auto backend = test_backend();
  EXPECT_THROW(copy_bandwidth(*backend, 0), InputError);
}

}  // namespace
}  // namespace poisson::probe_tests
