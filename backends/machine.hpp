#pragma once

#include <cstddef>
#include <string>

namespace poisson {

/// The name of the machine that this process runs on; empty where it has none.
std::string machine_name();
/// A number for it, the same for all processes of a machine.
std::size_t machine_number();

}  // namespace poisson
