#pragma once

#include <filesystem>
#include <string>

#include "io/files/summary.hpp"

namespace poisson {

inline constexpr const char* bodies_csv = "bodies.csv";

/// Returns the answers for bodies as a table with one row for each region: comma-separated values (RFC 4180).
std::string to_csv(const Summary& summary);
/// Writes bodies.csv into a folder. Throws RunError.
std::filesystem::path write_bodies(const std::filesystem::path& folder, const Summary& summary);

}  // namespace poisson
