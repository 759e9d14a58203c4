#pragma once

#include "backends/device/field.hpp"

namespace poisson::cuda {

/// Runs an exchange between fields of two spaces, or within a field, on a device: one launch for the moves of a step
/// within the process. The first run of a program is collective, and not to be recorded.
void run_program(Backend& backend, const ExchangeProgram& program, const Field& from, Field& to);

}  // namespace poisson::cuda
