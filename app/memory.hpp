#pragma once

#include <string>

#include "app/cases/case.hpp"

namespace poisson {

/// Returns the bytes of one copy of all written fields.
double bytes_of_output(const Config& config);

/// "fits: 12 GiB are free", or what is missing and how many cells would do. `here`: how many processes share the
/// memory of this machine.
std::string describe_fit(const Config& config, const Case& work, const Plan& plan, const Backend& backend, int here);

/// Compares what a planned solve takes where it runs, less what is `held` already, what it takes on the host `beside`
/// that, and its fields for the files with what the device, and this process at most, one of so many `here`, can get.
/// Throws RunError, which says what would do, where that is less. Returns what the host needs.
double require_memory(const Config& config, const Case& work, const Backend& backend, const Plan& plan, int here,
                      double held = 0, double beside = 0);
/// The same of a case that is still to be made. Returns a warning where so much is not free now; empty else.
std::string check_memory(const Config& config, const Case& work, const Backend& backend, int here);

}  // namespace poisson
