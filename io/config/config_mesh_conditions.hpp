#pragma once

#include <string>
#include <vector>

#include "io/config/config_parts.hpp"
#include "io/meshes/mesh_input.hpp"

namespace poisson {

/// Finds the groups that a configuration names, and reads data that have values on a mesh.
class MeshNames {
 public:
  MeshNames(ConfigParts& parts, const Mesh& mesh) : parts_(parts), mesh_(mesh), used_(mesh.groups.size(), false) {}

  /// Returns a number or an expression, and stores its place in the file. Reports arrays.
  Quantity quantity(const Value& value, const std::string& path, const std::string& name);
  /// Returns the groups of dimensions from `least` to `most` with a key. Reports an unknown key, or one of other
  /// dimensions.
  std::vector<int> groups_of(const Value::Entry& entry, const std::string& path, int least, int most);
  void use(std::size_t group) { used_[group] = true; }
  /// Returns which groups were found by name.
  const std::vector<bool>& used() const { return used_; }

 private:
  ConfigParts& parts_;
  const Mesh& mesh_;
  std::vector<bool> used_;
};

/// Reads `boundary` of a mesh or of blocks: conditions by name, lists of them with `where`, and the default.
void read_mesh_conditions(ConfigParts& parts, MeshInput& input, MeshNames& names);

}  // namespace poisson
