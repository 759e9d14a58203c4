#pragma once

#include <array>
#include <memory>
#include <span>

#include "grids/kernels/cell_codes.hpp"

namespace poisson::cuda {

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const LineOfCodes& write);
/// Calls `write` for the lines of a slab of planes, and stores their codes x fastest. All threads of the host share the
/// lines of these functions: they are compiled with OpenMP, which kernels are not.
template <class Stored>
void write_codes(const Box& slab, const LineOfCodes& write, Stored* values);
/// Calls f(cell) for the cells of a slab whose value is `code`.
template <class Stored>
void visit_codes(const Box& slab, const Stored* values, CellCodes::Code code,
                 const std::function<void(CellCodes::Cell)>& f);

/// Sums over the faces below the cells of a box.
double sum_of_differences(const Field& faces, const Field& u, const Block& block, std::size_t axis, const Box& box);

}  // namespace poisson::cuda
