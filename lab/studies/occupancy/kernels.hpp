#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Every kernel of the study `occupancy`, compared on the host. Needs a GPU; throws WrongResult.
void verify_occupancy(Session& session);

}  // namespace poisson::lab
