#pragma once

#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"

namespace poisson {

/// Counts what readers made of damaged files.
struct DamageCount {
  int refused = 0, accepted = 0;
};

/// Reads damaged copies of a file: every third is cut, every third has four changed bytes, and the others lack up to 64
/// bytes. `read` may throw InputError, with a message, and nothing else.
template <class F>
void read_damaged(const std::string& whole, int trials, std::mt19937& random, DamageCount& count, const F& read) {
  for (int trial = 0; trial < trials; ++trial) {
    std::string content = whole;
    const auto place = [&] { return random() % content.size(); };
    if (trial % 3 == 0) content.resize(place());
    if (trial % 3 == 1)
      for (int k = 0; k < 4; ++k) content[place()] = static_cast<char>(random());
    if (trial % 3 == 2) content.erase(place(), 1 + random() % 64);
    try {
      read(content);
      ++count.accepted;
    } catch (const InputError& error) {
      EXPECT_GT(std::strlen(error.what()), 20U);
      ++count.refused;
    }
  }
}

}  // namespace poisson
