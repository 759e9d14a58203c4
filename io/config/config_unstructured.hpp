#pragma once

#include <filesystem>

#include "io/config/config.hpp"

namespace poisson {

/// Reads a document that describes_mesh, with its mesh. Adds errors as the reader of boxes does, and raises them.
void read_mesh_document(Value& document, const std::filesystem::path& file, Diagnostics& errors, Config& config);

}  // namespace poisson
