#pragma once

#include <string>

namespace poisson::lab::gpu {  // exists in builds with CUDA

/// Returns the compiler of the kernels, for example "CUDA 13.0.48 (nvcc)".
std::string toolkit();
/// Returns for example "132 multiprocessors, 50 MiB of L2, ECC on".
std::string parts();
/// Returns the bytes of the L2 cache.
double l2_bytes();

}  // namespace poisson::lab::gpu
