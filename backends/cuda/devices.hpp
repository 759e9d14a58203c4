#pragma once

#include <string>

namespace poisson::cuda {

/// Number of CUDA devices that this program can use; where it is 0, `reason` says why: no driver, an old one, none
/// there.
int count_devices(std::string& reason);

}  // namespace poisson::cuda
