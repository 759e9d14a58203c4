#pragma once

#include <memory>
#include <string>

#include "backends/device/backend.hpp"
#include "backends/device/device_setup.hpp"

namespace poisson {

/// Makes a backend by name: `cpu`, `cuda`, `cuda:1` (device 1) or `auto`. `auto` is the first CUDA device if there is
/// one, otherwise the CPU. Throws InputError if the named device is not available. `note` receives a remark for the
/// user about the choice.
///
/// For `auto` and `cuda`, process `local_rank` of a machine gets the device of that number. If there are fewer devices
/// than processes, the numbers wrap around.
std::unique_ptr<Backend> make_backend(const std::string& device, std::string* note = nullptr, int local_rank = 0,
                                      Transport transport = Transport::automatic);
/// Makes a backend by name that borrows from the program what `setup` gives; the name chooses the device. Throws
/// InputError also if `setup` lends a stream or memory and the device is the CPU.
std::unique_ptr<Backend> make_backend(const std::string& device, const DeviceSetup& setup);

/// Prepares the device that make_backend will use for the only process, so that other work can go on meanwhile. Ignores
/// errors, which make_backend reports.
void prepare_device(const std::string& device);

}  // namespace poisson
