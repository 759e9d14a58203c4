#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/output.hpp"

namespace poisson {

/// Describes a format of `output.formats` for the schema, the checks and the run. A new format needs only a row in
/// `file_formats()`.
struct FileFormat {
  std::string_view name;
  std::string_view doc;
  bool picture = false;  ///< shows planes of the first field
  bool faces = false;    ///< can contain fields on the faces of cells; the others leave them out
  /// Returns its file names in the output directory. `nodes` is true if a field is at nodes.
  std::vector<std::string> (*files)(const OutputGrid&, bool nodes, int processes);
  /// Null if this build lacks the format.
  OpenFile* open;
};

/// Returns the table, in the order of the reference.
std::span<const FileFormat> file_formats();
/// Returns a row by its name. Throws std::out_of_range for a name that the schema would refuse.
const FileFormat& file_format(std::string_view name);
/// Returns the names of the formats that this build can write.
std::vector<std::string> available_formats();

}  // namespace poisson
