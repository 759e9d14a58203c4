#pragma once

#include <filesystem>

#include "io/config/config.hpp"

namespace poisson {

/// Reads a document that describes_rows, with its matrix and right-hand side. Adds errors as the reader of boxes does,
/// and raises them.
void read_rows_document(Value& document, const std::filesystem::path& file, Diagnostics& errors, Config& config);

/// Returns lines that describe a matrix.
std::vector<std::string> describe_rows(const GeneralRows& rows, const std::string& file);

}  // namespace poisson
