#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/output.hpp"

namespace poisson {

/// A format that `output.formats` may name: all that the schema, the checks and the run know of it. A new format is one
/// row of `file_formats()`.
struct FileFormat {
  std::string_view name;
  std::string_view doc;
  bool picture = false;  ///< shows the first field, and planes of it
  /// Its names in the output directory; `nodes`: whether one of the fields lies there.
  std::vector<std::string> (*files)(const OutputGrid&, bool nodes, int processes);
  /// Null where this build lacks it.
  OpenFile* open;
};

/// The table, in the order of the reference.
std::span<const FileFormat> file_formats();
/// A row by its name. Throws std::out_of_range for one that the schema would not have let through.
const FileFormat& file_format(std::string_view name);
/// The names of those that this build can write.
std::vector<std::string> available_formats();

}  // namespace poisson
