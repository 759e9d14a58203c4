#pragma once

#include <cstdint>

namespace poisson {

/// On a GPU verbs on at most so many values share launches.
inline constexpr std::int64_t most_shared_values = 1024;

}  // namespace poisson
