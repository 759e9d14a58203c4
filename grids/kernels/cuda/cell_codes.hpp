#pragma once

#include <array>
#include <memory>
#include <span>

#include "grids/kernels/cell_codes.hpp"

namespace poisson::cuda {

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const LineOfCodes& write);
/// Stores codes below 256 that follow from bytes.
std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, const BytesOfCells& from);
/// Calls `write` for the lines of a slab of planes, and stores their codes x fastest. All threads of the host share the
/// lines: this function is compiled with OpenMP, which kernels are not.
template <class Stored>
void write_codes(const Box& slab, const LineOfCodes& write, Stored* values);

/// Sums over the faces below the cells of a box.
double sum_of_differences(const Field& faces, const Field& u, const Block& block, std::size_t axis, const Box& box);

}  // namespace poisson::cuda
