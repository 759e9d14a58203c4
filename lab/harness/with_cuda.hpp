#pragma once

namespace poisson::lab {

/// States whether this build has CUDA. `if constexpr` on it removes calls of functions that .cu files define.
#ifdef POISSON_HAVE_CUDA
inline constexpr bool with_cuda = true;
#else
inline constexpr bool with_cuda = false;
#endif

}  // namespace poisson::lab
