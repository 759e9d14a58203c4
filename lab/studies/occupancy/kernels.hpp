#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Measures the resident warps, and the rate of a copy with them, for several sizes of blocks (panel "block-size") and
/// several amounts of shared memory (panel "shared-memory"). Needs a GPU. Throws WrongResult.
Panels measure_residency(Session& session);

/// Compare every kernel of the study `occupancy` with the host. They need a GPU and throw WrongResult.
void verify_occupancy(Session& session);
void verify_residency(Session& session);

}  // namespace poisson::lab
