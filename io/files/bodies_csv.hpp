#pragma once

#include <filesystem>
#include <string>

#include "io/files/summary.hpp"

namespace poisson {

inline constexpr const char* bodies_csv = "bodies.csv";

inline constexpr const char* faces_csv = "faces.csv";

/// Returns the answers for bodies as a table with one row for each region: comma-separated values (RFC 4180).
std::string to_csv(const Summary& summary);
inline constexpr const char* floating_csv = "floating.csv";

/// Returns the values and charges of floating bodies as a table with one row for each body.
std::string floating_to_csv(const Summary& summary);
/// Writes floating.csv into a folder. Throws RunError.
std::filesystem::path write_floating(const std::filesystem::path& folder, const Summary& summary);
/// Returns the answers for faces as a table with one row for each face and each part of a face.
std::string faces_to_csv(const Summary& summary);
/// Writes bodies.csv into a folder. Throws RunError.
std::filesystem::path write_bodies(const std::filesystem::path& folder, const Summary& summary);
/// Writes faces.csv into a folder. Throws RunError.
std::filesystem::path write_faces(const std::filesystem::path& folder, const Summary& summary);

}  // namespace poisson
