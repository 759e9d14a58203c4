#pragma once

#include <string>

namespace poisson::cuda {

/// Returns the number of CUDA devices that this program can use. If it is 0, `reason` is set to the cause: no driver,
/// an old one, or no device.
int count_devices(std::string& reason);

}  // namespace poisson::cuda
