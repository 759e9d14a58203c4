#pragma once

#include <memory>

#include "grids/discrete.hpp"

/// What the CPU brings to the factories of grids/discrete.hpp.
namespace poisson::cpu {

std::unique_ptr<Operator> make_operator(Backend&, const RowData&, Precision);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse);
std::unique_ptr<Transfer> make_cell_transfer(Backend&, const Block& fine, const CoarseBlock& coarse, bool constant);
void coarsen_cells(const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells);
void coarsen_faces(const Block& fine, const CoarseBlock& coarse, std::size_t axis, const Field& fine_faces,
                   const Field* coarse_ends, Field& coarse_faces);

}  // namespace poisson::cpu
