#pragma once

#include <string>
#include <string_view>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Reads the content of an MSH file (Gmsh reference manual, "MSH file format", versions 2.2 and 4.1). Throws
/// InputError.
Mesh read_gmsh(const std::string& name, std::string_view bytes);

/// Reads the content of a VTU file (VTK file formats, XML, UnstructuredGrid). Throws InputError.
Mesh read_vtu(const std::string& name, std::string_view bytes, const std::string& groups);

}  // namespace poisson
