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
/// what they hold), without its entries: the shape, and what an HDF5 file says of the offsets. `shape`: points along x,
/// y and z, which Matrix Market files need. Throws InputError with the file, the line where there is one, and a remedy.
BandedMatrix state_matrix(const std::filesystem::path& file, const std::optional<std::array<int, 3>>& shape);
/// Whether it is an HDF5 file that holds a right-hand side as well.
bool holds_rhs(const std::filesystem::path& file);

/// Reads the entries of such a matrix, checks and measures it. Duplicate entries of Matrix Market are summed. Of
/// several processes each reads the rows of its `own` points and of two layers beside them, and all have the same
/// offsets and measures. Badly scaled matrices are balanced (grids/schemes/bands/matrix.hpp). Throws InputError as
/// above.
void read_matrix(const std::filesystem::path& file, BandedMatrix& matrix, const std::optional<Box>& own = {},
                 const Processes& processes = *one_process());

/// matrix.rhs, at the points that the matrix holds, from a Matrix Market array, or from the dataset `rhs` of an HDF5
/// file.
void read_rhs(const std::filesystem::path& file, BandedMatrix& matrix);

}  // namespace poisson
