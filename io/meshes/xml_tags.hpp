#pragma once

#include <map>
#include <string>
#include <string_view>

#include "io/meshes/mesh_bytes.hpp"

namespace poisson {

/// Is a tag of an XML file.
struct XmlTag {
  std::string name;
  std::map<std::string, std::string, std::less<>> attributes;
  bool closes = false;  ///< </name>
  bool empty = false;   ///< <name/>

  /// Returns an attribute; empty if it is missing.
  std::string_view attribute(std::string_view key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string_view{} : std::string_view(found->second);
  }
};

/// Moves behind the next tag and returns it. Text before it, comments and declarations are skipped. At the end of the
/// file it fails.
XmlTag next_tag(MeshBytes& in);

}  // namespace poisson
