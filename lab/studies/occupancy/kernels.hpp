#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// What blocks of several sizes, and with several amounts of shared memory, leave of the resident warps, and what a
/// copy makes of those: panels "block-size" and "shared-memory". Needs a GPU; throws WrongResult.
Panels measure_residency(Session& session);

/// Every kernel of the study `occupancy`, compared on the host. Needs a GPU; throws WrongResult.
void verify_occupancy(Session& session);
void verify_residency(Session& session);

}  // namespace poisson::lab
