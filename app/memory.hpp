#pragma once

#include <string>

#include "app/cases/case.hpp"

namespace poisson {

/// Returns the bytes of one copy of all output fields.
double bytes_of_output(const Config& config);

/// Returns text such as "fits: 12 GiB are free", or the missing bytes and a grid size that fits. `here` is the number
/// of processes that share the memory of this machine.
std::string describe_fit(const Config& config, const Case& work, const Plan& plan, const Backend& backend, int here);

/// Checks that a planned solve fits on its device and on the host. Returns the bytes needed on the host.
/// `used` are bytes that the run has allocated already. The fields for output files are counted as well. `here` is the
/// number of processes on this machine. Throws RunError with advice if the memory limit is too small.
double require_memory(const Config& config, const Case& work, const Backend& backend, const Plan& plan, int here,
                      double used = 0);
/// Checks a case before its solver is made, as require_memory does. Returns a warning if the memory is not free now;
/// empty otherwise.
std::string check_memory(const Config& config, const Case& work, const Backend& backend, int here);

}  // namespace poisson
