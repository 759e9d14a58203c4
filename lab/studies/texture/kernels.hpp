#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The study `texture` has two parts. Each part measures on a GPU and throws WrongResult.

inline constexpr int in_flight = 4;  ///< independent loads of a thread

/// Measures walks over a square in three orders by three paths. Panels show the best grid found for each, the lecture's
/// grids, and sweeps over numbers of threads and of blocks.
Panels measure_walks(Session& session);
/// Measures reads at an offset, and dependent loads, by textures and by plain loads.
Panels measure_paths(Session& session);

/// Compares every variant with the host on small squares.
void verify_walks(Session& session);

}  // namespace poisson::lab
