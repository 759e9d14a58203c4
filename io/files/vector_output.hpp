#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace poisson {

/// Returns the name of the file of a vector, such as "u.mtx".
std::string vector_file(std::string_view name, std::string_view format);
/// Writes a vector as a Matrix Market array (format "mtx") or a NumPy array of float64 ("npy") and returns its path.
/// Throws RunError if the file cannot be written.
std::filesystem::path write_vector(const std::filesystem::path& folder, std::string_view name, std::string_view format,
                                   const std::vector<double>& values);

}  // namespace poisson
