#pragma once

#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Compares every way of launching of the study `launch` with the host, over few and many blocks and steps. Needs a
/// GPU. Throws WrongResult.
void verify_launch(Session& session);

}  // namespace poisson::lab
