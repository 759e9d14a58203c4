#pragma once

#include <array>

#include "grids/sampling/jumps.hpp"

namespace poisson {

/// Contains the properties of κ that automatic choices and allocations depend on.
struct KappaSummary {
  std::array<double, 3> mean{1, 1, 1};
  Jumps jumps;
};

}  // namespace poisson
