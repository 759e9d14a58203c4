#pragma once

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The parts of the study `latency`. Each measures on a GPU and throws WrongResult.

/// Chains of multiply-adds: warps per multiprocessor × chains per thread.
Panel measure_fma(Session& session);
/// A walk of dependent loads over ever more memory.
Panel measure_chase(Session& session);
/// Bandwidth against bytes in flight; `latency`: of a load from memory, in ns, for the prediction.
Panel measure_in_flight(Session& session, double latency);

/// Every variant of the above in small and awkward numbers, compared on the host.
void verify_fma(Session& session);
void verify_memory_latency(Session& session);

}  // namespace poisson::lab
