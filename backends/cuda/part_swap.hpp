#pragma once

#include "backends/lines/part_swap.hpp"

namespace poisson::cuda {

/// Returns the CUDA implementation of PartSwap.
std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most);

}  // namespace poisson::cuda
