#pragma once

#include <cstddef>
#include <string>

#include "backends/processes.hpp"

namespace poisson {

/// The name of the machine that this process runs on; empty where it has none.
std::string machine_name();
/// A number for it, the same for all processes of a machine.
std::size_t machine_number();
/// How many of these processes, which all call it, run on this machine.
int count_on_machine(const Processes& processes);

}  // namespace poisson
