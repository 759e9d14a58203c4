#pragma once

#include "backends/memory/precision.hpp"
#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Returns the arithmetic peak: floating-point operations per second of fused multiply-adds alone (two operations each)
/// on all multiprocessors. The error message names `study`. Throws WrongResult. Requires a CUDA session.
double fma_peak(Session& session, Precision precision, std::string_view study);

}  // namespace poisson::lab
