#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device.hpp"

namespace poisson {

/// Expects values that another way to the same iterates has. On a CPU they are equal to the bit; on a GPU to so much of
/// the largest one: code that is compiled by itself, for shared launches, for the planes that a batch leaves over,
/// fuses multiply-adds otherwise.
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
    most = difference <= most ? most : difference;  // NaN stays
  }
  EXPECT_LE(most, rounding * size);
}

}  // namespace poisson
