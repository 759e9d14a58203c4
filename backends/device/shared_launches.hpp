#pragma once

#include <cstdint>

namespace poisson {

/// On a GPU verbs on boxes of at most this many values share launches (backends/cuda/sequence_kernel.cuh).
inline constexpr std::int64_t most_shared_values = 1024;

}  // namespace poisson
