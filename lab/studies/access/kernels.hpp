#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The parts of the study `access`. Each measures on a GPU and throws WrongResult.

inline constexpr int threads = 256;  ///< of a block

/// Offsets and strides of a copy; fields of records.
Panels measure_patterns(Session& session);
/// Orders within a piece of memory, random ones, and a long piece for each thread.
Panels measure_orders(Session& session);

/// Every variant of the above on small awkward shapes, compared on the host.
void verify_patterns(Session& session);
void verify_orders(Session& session);

}  // namespace poisson::lab
