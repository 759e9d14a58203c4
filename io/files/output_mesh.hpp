#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/files/output.hpp"

namespace poisson {

struct BlockMesh;
struct Mesh;

/// Is the mesh of a file: an image or a rectilinear grid, the blocks of a macro mesh, or an unstructured mesh. Blocks
/// and unstructured meshes must outlive the file; every process has all their values.
using OutputMesh = std::variant<OutputGrid, const BlockMesh*, const Mesh*>;

/// Returns the names of the files of a format (formats.hpp). `nodes` is true if a field is at nodes or points.
std::vector<std::string> names_of_files(std::string_view format, const OutputMesh& mesh, bool nodes, int processes);

/// Opens a file of a format in a directory that all processes can access. The file receives the values of its fields in
/// chunks of any length: on grids those of this process plane by plane, otherwise all of them. Throws RunError if this
/// build lacks the format.
std::unique_ptr<FieldFile> open_file(std::string_view format, const std::filesystem::path& directory,
                                     const OutputMesh& mesh, std::vector<FieldHead> heads, const OutputNote& note,
                                     const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
