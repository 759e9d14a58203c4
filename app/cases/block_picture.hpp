#pragma once

#include <filesystem>
#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "io/config/config.hpp"

namespace poisson {

/// Draws u on blocks of the plane into solution.png, with the outlines of blocks, and returns the path. `u` has the
/// values at all points. Throws RunError if the file cannot be written.
std::filesystem::path write_block_picture(const std::filesystem::path& folder, const Config& config,
                                          const BlockMesh& mesh, const std::vector<double>& u, bool converged);

}  // namespace poisson
