#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Lists points of a mesh that follow each other on a curve.
using PointChains = std::vector<std::vector<int>>;

/// Is the text of a picture, and what is drawn over it.
struct MeshPictureText {
  std::string title;
  std::string quantity;  ///< name of u with its unit, beside the colours
  bool converged = true;
  PointChains outlines{};  ///< drawn in pictures of the plane
};

/// Writes solution.png: a mesh in the plane with u at its points, or in space its outer surface and the section through
/// the middle of its longest horizontal axis. Returns the path. Throws RunError if the file cannot be written.
std::filesystem::path write_mesh_picture(const std::filesystem::path& directory, const Mesh& mesh,
                                         const std::vector<double>& u, const MeshPictureText& text);

}  // namespace poisson
