#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The study `latency` has three parts. Each part measures on a GPU and throws WrongResult.

/// Measures chains of multiply-adds: warps per multiprocessor × chains per thread.
Panel measure_fma(Session& session);
/// Measures a walk of dependent loads over working sets of increasing size.
Panel measure_chase(Session& session);
/// Measures bandwidth against bytes in flight. The prediction uses `latency`, the ns of a load from memory.
Panel measure_in_flight(Session& session, double latency);

/// Compare every variant with the host, for small and awkward numbers.
void verify_fma(Session& session);
void verify_memory_latency(Session& session);

}  // namespace poisson::lab
