#pragma once

#include <memory>

#include "backends/device/field.hpp"

namespace poisson::cuda {

/// Runs an exchange between fields of two spaces, or within a field, on a device: one launch for the moves of a step
/// within the process. Without kept tables a run makes them: it is then collective, and not to be recorded.
void run_program(Backend& backend, const ExchangeProgram& program, const Field& from, Field& to);
/// Makes the tables of a program, and keeps them until the result ends. Collective.
std::shared_ptr<const void> keep_program(Backend& backend, const ExchangeProgram& program, const Space& from,
                                         const Space& to);

/// Exchanges the halo of a field with other processes alone, or completely where one launch cannot do it. The space has
/// tables.
void exchange_with_others(Backend& backend, const Field& field);

}  // namespace poisson::cuda
