#include "io/meshes/mesh_file.hpp"

#include <string_view>

#include "backends/memory/error.hpp"
#include "io/config/spelling.hpp"
#include "io/meshes/gmsh.hpp"
#include "io/meshes/mesh_bytes.hpp"

namespace poisson {

Mesh read_mesh(const std::filesystem::path& file, double scale, const std::string& groups) {
  const UnsetVector<char> content = read_bytes(file);
  const std::string_view bytes(content.data(), content.size());
  const std::string name = printable(file.string());
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const std::string_view start = bytes.substr(first, 11);
  Mesh mesh;
  if (bytes.empty()) throw InputError(name + " is empty; save the mesh again");
  if (start.starts_with("$MeshFormat"))
    mesh = read_gmsh(name, bytes.substr(first));
  else if (start.starts_with("<?xml") || start.starts_with("<VTKFile"))
    mesh = read_vtu(name, bytes, groups);
  else
    throw InputError(name +
                     " is neither an MSH file of Gmsh (which begins with $MeshFormat) nor a VTU file of VTK: "
                     "convert the mesh, for example with Gmsh or meshio");
  mesh.source = name;
  finish_mesh(mesh, scale);
  return mesh;
}

}  // namespace poisson
