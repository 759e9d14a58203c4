#pragma once

namespace poisson::cuda {

/// Computes 1/x to within one or two roundings, without the branches of a division. Returns 0 for x = 0, the divisor of
/// a singular mode.
__device__ inline double inverse_of(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  for (int step = 0; step < 2; ++step) y = fma(y, fma(-x, y, 1.0), y);
  return x != 0 ? y : 0;
}
__device__ inline float inverse_of(float x) {
  return x != 0 ? __frcp_rn(x) : 0;
}

}  // namespace poisson::cuda
