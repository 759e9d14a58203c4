#pragma once

#include <memory>

#include "backends/device/backend.hpp"
#include "backends/device/field.hpp"

namespace poisson {

/// Makes the tables that a device needs to run an exchange of at least one step between fields of two spaces, in both
/// precisions, and keeps them until the result ends. Recorded verbs may then run it (Backend::run_exchange). The
/// exchange must not change until then. A CPU needs no tables, and the result is null. Collective.
std::shared_ptr<const void> keep_exchange(Backend& backend, const Exchange& exchange, const Space& from,
                                          const Space& to);

/// Exchanges the halo of a field whose copies of values of this process are known: at least those of other processes
/// are stored. Fields of boxes exchange all. Collective.
void exchange_with_others(Backend& backend, const Field& field);

}  // namespace poisson
