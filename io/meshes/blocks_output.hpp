#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "io/meshes/vtu_output.hpp"

namespace poisson {

/// Returns the names of the files of write_block_files: solution.vtm, and solution_0.vts, … for the blocks.
std::vector<std::string> block_file_names(int blocks);

/// Writes a multiblock file of VTK and a structured grid for each block into a directory. Fields are given on all
/// points and cells, as for write_vtu. Returns the paths. Throws RunError if a file cannot be written.
std::vector<std::filesystem::path> write_block_files(const std::filesystem::path& directory, const BlockMesh& mesh,
                                                     const std::vector<MeshField>& fields, bool converged);

/// Returns the points along the edges of all blocks in the plane; nothing in space.
std::vector<std::vector<int>> block_edges(const BlockMesh& mesh);

}  // namespace poisson
