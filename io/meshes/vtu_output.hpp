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

/// Returns the name of the file of one of several processes: solution_0.vtu.
std::string vtu_piece_name(int process);
/// Writes the elements of a process, of `count`, and their values. All processes have the complete mesh.
std::filesystem::path write_vtu_piece(const std::filesystem::path& directory, const Mesh& mesh,
                                      const std::vector<MeshField>& fields, bool converged, int process, int count);
/// Writes solution.pvtu, which lists the pieces.
std::filesystem::path write_pvtu(const std::filesystem::path& directory, const std::vector<MeshField>& fields,
                                 int count);

/// Writes solution.hdf, a VTKHDF file of type UnstructuredGrid (version 1.0).
std::filesystem::path write_mesh_hdf(const std::filesystem::path& directory, const Mesh& mesh,
                                     const std::vector<MeshField>& fields, bool converged);

}  // namespace poisson
