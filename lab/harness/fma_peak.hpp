#pragma once

#include "backends/precision.hpp"
#include "lab/harness/session.hpp"

namespace poisson::lab {

/// Floating-point operations per second of fused multiply-adds alone, two each, on all multiprocessors: the ceiling of
/// arithmetic. `study` is named where a result is wrong. Throws WrongResult. On a CUDA session only.
double fma_peak(Session& session, Precision precision, std::string_view study);

}  // namespace poisson::lab
