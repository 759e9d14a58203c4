#pragma once

#include <vector>

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The parts of the study `access`. Each measures on a GPU and throws WrongResult.

/// Offsets and strides of a copy; fields of records.
std::vector<Panel> measure_patterns(Session& session);
/// A matrix read along rows and down columns by every load path, and the grids that do it best.
std::vector<Panel> measure_traversals(Session& session);

/// Every variant of the above on small awkward shapes, compared on the host.
void verify_patterns(Session& session);
void verify_traversals(Session& session);

}  // namespace poisson::lab
