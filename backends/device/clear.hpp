#pragma once

#include "backends/device/field.hpp"

namespace poisson {

/// Sets x = 0 at the unknowns of its space, in the order of the backend's verbs. Dirichlet nodes and halos keep their
/// values. Throws RunError if the build lacks the field's backend.
void clear_unknowns(Field& x);

}  // namespace poisson
