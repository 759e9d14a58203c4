#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The study `access` has two parts. Each part measures on a GPU and throws WrongResult.

inline constexpr int threads = 256;  ///< per block

/// Measures offsets and strides of a copy, and fields of records.
Panels measure_patterns(Session& session);
/// Measures orders within a segment, random orders, and contiguous pieces for each thread.
Panels measure_orders(Session& session);

/// Compare every variant of these panels with the host on small awkward shapes.
void verify_patterns(Session& session);
void verify_orders(Session& session);

}  // namespace poisson::lab
