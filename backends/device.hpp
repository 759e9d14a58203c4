#pragma once

#include <memory>
#include <string>

#include "backends/backend.hpp"

namespace poisson {

/// A backend by name: cpu, cuda, cuda:1 (that device), or auto: the first CUDA device where there is one, else the CPU.
/// Throws InputError where the named one cannot be had. `note` receives what a user should know about the choice.
std::unique_ptr<Backend> make_backend(const std::string& device, std::string* note = nullptr);

}  // namespace poisson
