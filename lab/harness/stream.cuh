#pragma once

#include "backends/cuda/check.cuh"

namespace poisson {
class Backend;
}

namespace poisson::lab {

/// The stream that a CUDA backend works on: all that studies need of its class, whose headers take long to compile.
cudaStream_t stream_of(Backend& backend);

}  // namespace poisson::lab
