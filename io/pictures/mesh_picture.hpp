#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Is the text of a picture.
struct MeshPictureText {
  std::string title;
  std::string quantity;  ///< name of u with its unit, beside the colours
  bool converged = true;
};

/// Writes solution.png: a mesh in the plane with u at its points, or in space its outer surface and the section through
/// the middle of its longest horizontal axis. Returns the path. Throws RunError if the file cannot be written.
std::filesystem::path write_mesh_picture(const std::filesystem::path& directory, const Mesh& mesh,
                                         const std::vector<double>& u, const MeshPictureText& text);

}  // namespace poisson
