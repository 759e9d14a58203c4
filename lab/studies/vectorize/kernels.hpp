#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Compares every sweep of the study `vectorize` with the host on awkward grids. Needs a GPU. Throws WrongResult.
void verify_vectorize(Session& session);

}  // namespace poisson::lab
