#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Every sweep of the study `vectorize` on awkward grids, compared on the host. Needs a GPU; throws WrongResult.
void verify_vectorize(Session& session);

}  // namespace poisson::lab
