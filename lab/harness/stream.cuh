#pragma once

#include "backends/cuda/check.cuh"

namespace poisson {
class Backend;
}

namespace poisson::lab {

/// Returns the stream of a CUDA backend. Studies need nothing else of its class, whose headers compile slowly.
cudaStream_t stream_of(Backend& backend);

}  // namespace poisson::lab
