#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Contains a field on the points of a mesh, or on the elements of its own dimension in the order of Topology.
struct MeshField {
  std::string name;
  bool on_cells = false;
  int components = 1;
  std::vector<double> values;
};

/// Writes `directory/solution.vtu`: the elements of the mesh's dimension and fields, as appended raw binary. Element
/// groups are the array `group` with the number of the first group of each element; 0: none. Returns the path. Throws
/// RunError if the file cannot be written.
std::filesystem::path write_vtu(const std::filesystem::path& directory, const Mesh& mesh,
                                const std::vector<MeshField>& fields, bool converged);

}  // namespace poisson
