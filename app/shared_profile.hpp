#pragma once

#include <span>
#include <vector>

#include "backends/processes/processes.hpp"
#include "grids/results/profile.hpp"

namespace poisson {

/// Merges the profiles of all processes. Calls are the maximum over the processes, seconds the mean and bytes the sum.
/// The entries of the first process come first, in its order. Collective; every process gets the same result.
std::vector<Profile::Entry> of_all(std::span<const Profile::Entry> own, const Processes& processes);

}  // namespace poisson
