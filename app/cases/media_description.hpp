#pragma once

#include <string>
#include <vector>

#include "grids/schemes/cells/media_system.hpp"

namespace poisson {

/// Returns warnings about bodies that cover no cell, and about cells without contact to a fixed value.
std::vector<std::string> describe_media(const MediaSystem& system);

}  // namespace poisson
