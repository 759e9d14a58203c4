#pragma once

#include <array>
#include <memory>
#include <span>

#include "grids/kernels/cell_codes.hpp"

namespace poisson::cuda {

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const LineOfCodes& write);
/// Sums over the faces below the cells of a box.
double sum_of_differences(const Field& faces, const Field& u, const Block& block, std::size_t axis, const Box& box);

}  // namespace poisson::cuda
