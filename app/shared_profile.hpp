#pragma once

#include <span>
#include <vector>

#include "backends/processes.hpp"
#include "grids/results/profile.hpp"

namespace poisson {

/// The verbs of all processes as if one had run them: calls are the most of any process, seconds their mean, bytes
/// their sum. Those of the first process come first, in its order. All processes call it, and have the same of it.
std::vector<Profile::Entry> of_all(std::span<const Profile::Entry> own, const Processes& processes);

}  // namespace poisson
