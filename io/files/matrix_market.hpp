#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "grids/schemes/bands/matrix.hpp"

namespace poisson {

/// Throws InputError if the lines before the entries do not declare a matrix of this shape.
void check_matrix_market(const std::filesystem::path& file, const std::array<int, 3>& shape);
/// Reads offsets and entries of a matrix whose shape and points are known; see read_matrix. Reads the text in pieces,
/// so that only the entries of these points need memory.
void read_matrix_market(const std::filesystem::path& file, BandedMatrix& matrix);
/// Reads a dense real column with a number for each point of the matrix. Returns the numbers of its stored points.
std::vector<double> read_market_array(const std::filesystem::path& file, const BandedMatrix& matrix);

}  // namespace poisson
