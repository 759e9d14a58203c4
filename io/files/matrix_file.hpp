#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "grids/schemes/bands/matrix.hpp"

namespace poisson {

/// Entries lie at most so many points from the diagonal along each axis, on at most so many offsets.
inline constexpr int most_reach = 8, most_bands = 125;

/// nx ny nz; nothing where that is more than 2^40.
std::optional<std::size_t> count_points(const std::array<int, 3>& shape);
inline constexpr const char* too_many_points = "a grid has at most 10^12 points";

/// A banded matrix from a Matrix Market or an HDF5 file, told apart by their content (grid.file in the reference says
/// what they hold), checked and measured. Duplicate entries of Matrix Market are summed. `shape`: points along x, y and
/// z, which Matrix Market files need. Throws InputError with the file, the line where there is one, and a remedy.
BandedMatrix read_matrix(const std::filesystem::path& file, const std::optional<std::array<int, 3>>& shape);

/// matrix.rhs from a Matrix Market array, or from the dataset `rhs` of an HDF5 file.
void read_rhs(const std::filesystem::path& file, BandedMatrix& matrix);

}  // namespace poisson
