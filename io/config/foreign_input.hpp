#pragma once

#include <filesystem>

#include "io/config/yaml.hpp"

namespace poisson {

/// Throws ConfigError if the file's ending shows a mesh, or data of a run, instead of a configuration.
void refuse_foreign_file(const std::filesystem::path& file);

/// Throws ConfigError if a document is not a configuration but a mesh or the summary of a run.
void refuse_foreign_content(const Value& document);

}  // namespace poisson
