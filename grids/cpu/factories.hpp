#pragma once

#include <memory>

#include "grids/discrete.hpp"

/// What the CPU brings to the factories of grids/discrete.hpp.
namespace poisson::cpu {

std::unique_ptr<Operator> make_operator(Backend&, const RowData&, Precision);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse);
void coarsen_cells(const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells);

}  // namespace poisson::cpu
