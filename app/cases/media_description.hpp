#pragma once

#include <string>
#include <vector>

#include "grids/schemes/cells/media_system.hpp"

namespace poisson {

/// Returns warnings about bodies that cover no cell, and about cells without contact to a fixed value.
std::vector<std::string> describe_media(const MediaSystem& system);

/// Returns warnings about bodies that cover no cell, before the system exists. On grids of at most four million cells
/// it compares the shapes with all centres of cells, on larger ones only the extents of the bodies.
std::vector<std::string> describe_uncovered(const Problem& problem);

/// Returns whether a run answers for faces: the unknowns are in cells, and there are materials or a face with several
/// conditions.
bool answers_faces(const Problem& problem);

/// Returns whether materials come from an image without bodies.
bool is_image(const Problem& problem);

}  // namespace poisson
