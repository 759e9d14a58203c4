#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Compares every pattern of the study `banks` with the host, for few and many warps and rounds. Needs a GPU. Throws
/// WrongResult.
void verify_banks(Session& session);

}  // namespace poisson::lab
