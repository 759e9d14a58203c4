#include "io/files/output_mesh.hpp"

#include <utility>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_mesh.hpp"
#include "io/files/formats.hpp"
#include "io/meshes/mesh_files.hpp"

namespace poisson {

std::vector<std::string> names_of_files(std::string_view format, const OutputMesh& mesh, bool nodes, int processes) {
  if (const auto* grid = std::get_if<OutputGrid>(&mesh)) return file_format(format).files(*grid, nodes, processes);
  const auto* blocks = std::get_if<const BlockMesh*>(&mesh);
  return mesh_file_names(format, blocks ? *blocks : nullptr, processes);
}

std::unique_ptr<FieldFile> open_file(std::string_view format, const std::filesystem::path& directory,
                                     const OutputMesh& mesh, std::vector<FieldHead> heads, const OutputNote& note,
                                     const std::shared_ptr<const Processes>& processes) {
  if (const auto* grid = std::get_if<OutputGrid>(&mesh)) {
    OpenFile* const open = file_format(format).open;
    if (!open) throw RunError("this build does not write the format " + std::string(format));
    return open(directory, *grid, std::move(heads), note, processes);
  }
  if (const auto* blocks = std::get_if<const BlockMesh*>(&mesh))
    return open_mesh_file(format, directory, *(*blocks)->mesh, *blocks, std::move(heads), note, processes);
  return open_mesh_file(format, directory, *std::get<const Mesh*>(mesh), nullptr, std::move(heads), note, processes);
}

}  // namespace poisson
