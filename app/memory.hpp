#pragma once

#include <string>

#include "io/config/config.hpp"
#include "solver/plan.hpp"

namespace poisson {

/// What the fields take that are written, once.
double bytes_of_output(const Config& config);

/// "fits: 12 GiB are free", or what is missing and how many cells would do.
std::string describe_fit(const Config& config, std::size_t bytes, const Backend& backend);

/// Compares what the solve and its fields for the files take with what the device, and this process at most, can get.
/// Throws RunError, which says how many cells would do, where that is less. Returns a warning where so much is not free
/// now; empty else.
std::string check_memory(const Config& config, const Backend& backend);
/// The same once κ has been sampled, by which more levels than those of smooth κ may be held. Throws alone.
void check_memory(const Config& config, const Discretization& discretization);

}  // namespace poisson
