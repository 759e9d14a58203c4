#pragma once

namespace poisson {

/// Makes idle OpenMP threads sleep early: if other programs use the same cores, spinning threads delay working ones.
/// Changes nothing if OMP_WAIT_POLICY or GOMP_SPINCOUNT is set, or if threads are bound to cores. Programs call it
/// once, before they compute.
void wait_passively();

}  // namespace poisson
