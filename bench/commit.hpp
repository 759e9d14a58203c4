#pragma once

#include <string>

namespace poisson::bench {

/// What git says of the source tree; empty where it says nothing.
std::string commit();

}  // namespace poisson::bench
