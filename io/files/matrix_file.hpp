#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "grids/schemes/bands/matrix.hpp"

namespace poisson {

/// An entry is at most this many points from the diagonal along each axis; at most this many offsets exist.
inline constexpr int most_reach = 8, most_bands = 125;

/// Returns nx ny nz; nothing if that exceeds 2^40.
std::optional<std::size_t> count_points(const std::array<int, 3>& shape);
inline constexpr const char* too_many_points = "a grid has at most 10^12 points";

/// Returns a banded matrix from a Matrix Market or an HDF5 file without its entries: the shape, and the offsets of an
/// HDF5 file. The content determines the format (grid.file in the reference describes both).
/// `shape` is the number of points along x, y and z, which Matrix Market files require. Throws InputError with the
/// file, a remedy and, if there is one, the line.
BandedMatrix state_matrix(const std::filesystem::path& file, const std::optional<std::array<int, 3>>& shape);
/// Returns whether a file is HDF5. Throws InputError if it cannot be read or is shorter than 8 bytes.
bool is_hdf5_matrix(const std::filesystem::path& file);
/// Returns true if the file is an HDF5 file that also contains a right-hand side.
bool contains_rhs(const std::filesystem::path& file);

/// Reads the entries of such a matrix, checks them and measures the matrix. Sums duplicate entries of Matrix Market.
/// Balances badly scaled matrices (grids/schemes/bands/matrix.hpp).
/// Each of several processes reads the rows of its `own` points plus two layers; all get the same offsets and measures.
/// Collective. Throws InputError like state_matrix.
void read_matrix(const std::filesystem::path& file, BandedMatrix& matrix, const std::optional<Box>& own = {},
                 const Processes& processes = *one_process());

/// Reads matrix.rhs at the points that the matrix stores, from a Matrix Market array or from the dataset `rhs` of an
/// HDF5 file.
void read_rhs(const std::filesystem::path& file, BandedMatrix& matrix);

}  // namespace poisson
