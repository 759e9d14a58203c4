#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Every way of launching of the study `launch`, over few and many blocks and steps, compared on the host. Needs a GPU;
/// throws WrongResult.
void verify_launch(Session& session);

}  // namespace poisson::lab
