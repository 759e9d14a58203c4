#pragma once

#include "backends/backend.hpp"

namespace poisson {

/// Says that parts of fields of this space will be gathered in what is recorded: GPUs that reach each other's mailboxes
/// make room for them, which then go without the hosts. All processes that share the grid call it.
void make_room_to_gather(Backend& backend, const Space& space);

}  // namespace poisson
