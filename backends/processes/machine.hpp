#pragma once

#include <cstddef>
#include <string>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Returns the name of the machine that this process runs on; empty if it has none.
std::string machine_name();
/// Returns a number that is the same for all processes of a machine.
std::size_t machine_number();
/// Returns how many of the processes run on this machine. Collective.
int count_on_machine(const Processes& processes);

}  // namespace poisson
