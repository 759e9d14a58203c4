#pragma once

#include <filesystem>
#include <string>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Reads a mesh: Gmsh's MSH 2.2 or 4.1, ASCII or binary, or VTK's XML unstructured grid (.vtu). The content decides,
/// not the name. `groups` names the cell array of a VTU file that numbers groups; empty: a known name, or none.
/// Coordinates are multiplied by `scale`. Throws InputError with the file, its line or byte, and a remedy.
Mesh read_mesh(const std::filesystem::path& file, double scale = 1, const std::string& groups = {});

}  // namespace poisson
