#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Every pattern of the study `banks`, with few and many warps and rounds, compared on the host. Needs a GPU; throws
/// WrongResult.
void verify_banks(Session& session);

}  // namespace poisson::lab
