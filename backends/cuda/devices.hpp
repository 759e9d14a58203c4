#pragma once

#include <string>

namespace poisson::cuda {

/// Returns the number of CUDA devices that this program can use. If it is 0, `reason` is set to the cause: no driver,
/// an old one, or no device.
int count_devices(std::string& reason);

/// Creates a device's context, which takes a fifth of a second. Ignores errors: the first use of the device reports
/// them.
void create_context(int number);

}  // namespace poisson::cuda
