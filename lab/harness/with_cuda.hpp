#pragma once

namespace poisson::lab {

/// Whether this build has CUDA: `if constexpr` on it leaves out calls of what .cu files define.
#ifdef POISSON_HAVE_CUDA
inline constexpr bool with_cuda = true;
#else
inline constexpr bool with_cuda = false;
#endif

}  // namespace poisson::lab
