#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "backends/memory/division.hpp"

namespace poisson::division_tests {
namespace {

TEST(Division, GivesTheQuotientsOfIntegers) {
  constexpr int most = std::numeric_limits<int>::max();
  for (const int d : {1, 2, 3, 7, 127, 128, 129, 514, 1028, 4100, 65537, 1 << 30, most - 1, most}) {
    const Division by(d);
    for (int n = 0; n < 5000; ++n) ASSERT_EQ(by(n), n / d) << n << " / " << d;
    // Quotients change at multiples, so the test checks values around them.
    for (std::int64_t q = 1; q * d <= most; q = q * 3 / 2 + 1)
      for (std::int64_t n = q * d - 2; n <= std::min<std::int64_t>(q * d + 2, most); ++n)
        ASSERT_EQ(by(static_cast<int>(n)), static_cast<int>(n) / d) << n << " / " << d;
    ASSERT_EQ(by(most), most / d);
  }
}

}  // namespace
}  // namespace poisson::division_tests
