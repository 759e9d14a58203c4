#pragma once

#include "backends/device/backend.hpp"

namespace poisson {

/// Stands in for a recording (Backend::run) whose first run launches every kernel by itself. The next run records.
class PlainRun final : public Recording {};

}  // namespace poisson
