#pragma once

#include <filesystem>

#include "io/config/yaml.hpp"

namespace poisson {

/// Throws ConfigError for a file whose ending says that it is a mesh, or data of a run, and no configuration.
void refuse_foreign_file(const std::filesystem::path& file);

/// Throws ConfigError for what has been read and is no configuration: a mesh, or the summary of a run.
void refuse_foreign_content(const Value& document);

}  // namespace poisson
