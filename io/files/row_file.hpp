#pragma once

#include <filesystem>
#include <vector>

#include "grids/compact/csr.hpp"

namespace poisson {

/// Reads a sparse matrix of any pattern. Matrix Market files are coordinate files of real, integer or pattern entries
/// (all 1) that are general or symmetric; duplicates are summed. HDF5 files contain compressed rows as SciPy stores
/// them: the datasets `data`, `indices` and `indptr`, and optionally `shape`. Throws InputError, which names the file,
/// the line or row, and a remedy.
CsrMatrix read_rows(const std::filesystem::path& file);

/// Returns true if the file is an HDF5 file with the dataset `rhs`.
bool contains_row_rhs(const std::filesystem::path& file);
/// Reads a right-hand side: a real or integer Matrix Market array of one column, or the dataset `rhs` of an HDF5 file.
/// Throws InputError, also unless it has `rows` values.
std::vector<double> read_row_rhs(const std::filesystem::path& file, std::int64_t rows);

}  // namespace poisson
