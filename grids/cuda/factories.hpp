#pragma once

#include <memory>

#include "grids/discrete.hpp"

/// What CUDA brings to the factories of grids/discrete.hpp.
namespace poisson::cuda {

std::unique_ptr<Operator> make_operator(Backend&, const RowData&, Precision);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse);

}  // namespace poisson::cuda
