#pragma once

namespace poisson {

/// Lets OpenMP's threads sleep soon after they begin to wait: where others use the cores too, threads that spin take
/// the time of those that work. Where OMP_WAIT_POLICY or GOMP_SPINCOUNT says how to wait, or threads are bound to
/// cores, it leaves that as it is. Programs call it once, before they compute.
void wait_passively();

}  // namespace poisson
