#pragma once

#include <array>
#include <cstdint>

namespace poisson {

/// Represents a half-open box of indices.
struct Box {
  std::array<int, 3> first{}, last{};

  constexpr std::int64_t size() const {
    std::int64_t product = 1;
    for (int d = 0; d < 3; ++d) product *= last[d] > first[d] ? last[d] - first[d] : 0;
    return product;
  }
};

}  // namespace poisson
