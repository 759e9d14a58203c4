#pragma once

#include <memory>
#include <string>

#include "backends/backend.hpp"

namespace poisson {

/// A backend by name: cpu, cuda, cuda:1 (that device), or auto: the first CUDA device where there is one, else the CPU.
/// Throws InputError where the named one cannot be had. `note` receives what a user should know about the choice.
/// For the `local_rank`-th process of a machine auto and cuda are the device of that number; where there are fewer,
/// they share them in turn.
std::unique_ptr<Backend> make_backend(const std::string& device, std::string* note = nullptr, int local_rank = 0,
                                      Transport transport = Transport::automatic);

}  // namespace poisson
