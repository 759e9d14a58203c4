#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/output_mesh.hpp"

namespace poisson {

/// Return the names and an opened file of a format on an unstructured mesh, or on blocks if `blocks` is not null;
/// `mesh` is then theirs. See open_file.
std::vector<std::string> mesh_file_names(std::string_view format, const BlockMesh* blocks, int processes);
std::unique_ptr<FieldFile> open_mesh_file(std::string_view format, const std::filesystem::path& directory,
                                          const Mesh& mesh, const BlockMesh* blocks, std::vector<FieldHead> heads,
                                          const OutputNote& note, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
