#pragma once

#include "backends/field.hpp"

namespace poisson {

/// x = 0 in the unknowns of its space. Dirichlet nodes and halos keep their values. In the order of the backend's
/// verbs. Throws RunError where the build lacks the field's backend.
void clear_unknowns(Field& x);

}  // namespace poisson
