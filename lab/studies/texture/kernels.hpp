#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The parts of the study `texture`. Each measures on a GPU and throws WrongResult.

inline constexpr int in_flight = 4;  ///< loads of a thread that do not wait for each other

/// Walks over a square in three orders by three paths: each with its own searched grid, at the lecture's grids, and
/// over numbers of threads and of blocks.
Panels measure_walks(Session& session);
/// Reads at an offset, and dependent loads, by textures and without.
Panels measure_paths(Session& session);

/// Every variant of the above on small squares, compared on the host.
void verify_walks(Session& session);

}  // namespace poisson::lab
