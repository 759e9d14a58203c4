#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "grids/schemes/bands/matrix.hpp"

namespace poisson {

/// Throws InputError where what stands before the entries does not hold a matrix of this shape.
void check_matrix_market(const std::filesystem::path& file, const std::array<int, 3>& shape);
/// Fills offsets and entries of a matrix whose shape and points are known; see read_matrix. The text goes by in pieces,
/// so that only the entries of these points take memory.
void read_matrix_market(const std::filesystem::path& file, BandedMatrix& matrix);
/// A dense real column of a number for each point of the matrix: those of the points that it holds.
std::vector<double> read_market_array(const std::filesystem::path& file, const BandedMatrix& matrix);

}  // namespace poisson
