#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "grids/schemes/bands/matrix.hpp"

namespace poisson {

/// See read_matrix; without the measures.
BandedMatrix read_matrix_market(const std::filesystem::path& file, const std::array<int, 3>& shape);
/// A dense real column of so many numbers.
std::vector<double> read_market_array(const std::filesystem::path& file, std::size_t count);

}  // namespace poisson
