#pragma once

#include "backends/part_swap.hpp"

namespace poisson::cuda {

std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most);
void make_room_to_gather(Backend& backend, const Space& space);

}  // namespace poisson::cuda
