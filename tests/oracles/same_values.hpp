#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device.hpp"

namespace poisson {

/// Expects the values of the same iterates computed in another way. On a CPU they must be equal bit by bit. On a GPU
/// they may differ by `rounding` times the largest value: code compiled separately, for shared launches or for the
/// planes left over by a batch, fuses multiply-adds differently.
inline void expect_same_values(const std::vector<double>& found, const std::vector<double>& wanted, double rounding) {
  if (on_cpu()) {
    EXPECT_EQ(found, wanted);
    return;
  }
  ASSERT_EQ(found.size(), wanted.size());
  double size = 0, most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    size = std::max(size, std::abs(wanted[i]));
    const double difference = std::abs(found[i] - wanted[i]);
    most = difference <= most ? most : difference;  // NaN is kept
  }
  EXPECT_LE(most, rounding * size);
}

}  // namespace poisson
