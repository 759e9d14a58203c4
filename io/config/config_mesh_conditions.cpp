#include "io/config/config_mesh_conditions.hpp"

#include <algorithm>
#include <utility>

#include "io/config/condition_lists.hpp"
#include "io/config/spelling.hpp"

namespace poisson {
namespace {

/// Reads the conditions of a mesh.
class MeshConditionReader {
 public:
  MeshConditionReader(ConfigParts& parts, MeshInput& input, MeshNames& names)
      : parts_(parts), input_(input), names_(names) {}

  void run() {
    const Value* boundary = parts_.document.find("boundary");
    const Value* rest = nullptr;
    join_periodic_sides(boundary);
    if (boundary)
      for (const Value::Entry& entry : boundary->entries) {
        if (entry.key == "default") {
          rest = &entry.value;
          continue;
        }
        const std::string path = "boundary." + entry.key;
        const std::vector<int> groups = boundary_groups(entry, path, entry.value.find("dirichlet") != nullptr);
        read_entry(entry.key, entry.value, path, groups);
      }
    if (rest)
      read_entry("default", *rest, "boundary.default", {});
    else
      input_.problem.conditions.push_back({.name = "default"});
  }

 private:
  const Mesh& mesh() const { return *input_.problem.mesh; }

  // Reads a condition, or a list of conditions, on groups. Conditions on a group that the mesh lacks are left out.
  void read_entry(const std::string& name, const Value& value, const std::string& path,
                  const std::vector<int>& groups) {
    std::vector<MeshCondition> read;
    if (value.kind == Value::Kind::list) {
      read = read_list(name, value, path);
    } else {
      read.emplace_back().name = name;
      read_condition(value, path, read.back());
    }
    if (groups.empty() && name != "default") return;
    for (MeshCondition& condition : read) {
      condition.groups = groups;
      input_.problem.conditions.push_back(std::move(condition));
    }
  }

  std::vector<MeshCondition> read_list(const std::string& name, const Value& list, const std::string& path) {
    std::vector<MeshCondition> read(list.items.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Value& item = list.items[i];
      const std::string index = "[" + std::to_string(i) + "]", here = path + index;
      if (!check_where(parts_, list, i, path)) return {};
      read[i].name = name + index;
      read[i].list = name;
      if (const Value* where = item.find("where"); given(where))
        read[i].where = names_.quantity(*where, here + ".where", "boundary." + name + index + ".where");
      read_condition(item, here, read[i]);
    }
    return read;
  }

  void read_condition(const Value& value, const std::string& path, MeshCondition& condition) {
    const std::string name = "boundary." + condition.name;
    if (const Value* u = value.find("dirichlet")) {
      condition.kind = BoundaryKind::dirichlet;
      condition.value = names_.quantity(*u, path + ".dirichlet", name);
    } else if (const Value* q = value.find("neumann")) {
      condition.kind = BoundaryKind::neumann;
      condition.value = names_.quantity(*q, path + ".neumann", name);
    } else if (const Value* robin = value.find("robin")) {
      condition.kind = BoundaryKind::robin;
      const Value *alpha = robin->find("alpha"), *right = robin->find("value"), *ambient = robin->find("ambient");
      if (!given(alpha)) return;
      condition.alpha = names_.quantity(*alpha, path + ".robin.alpha", name + ".alpha");
      if (given(right) && given(ambient))
        parts_.errors.add(ambient->mark, path + ".robin.ambient",
                          "conflicts with value, because alpha * ambient replaces it; keep one of the two");
      else if (given(right))
        condition.value = names_.quantity(*right, path + ".robin.value", name);
      else if (given(ambient))
        set_product(*alpha, *ambient, path + ".robin.ambient", name, condition.value);
    }
  }

  void set_product(const Value& factor, const Value& value, const std::string& path, const std::string& name,
                   Quantity& product) {
    parts_.config.marks[name] = value.mark.text() + ": " + path;
    read_product(parts_, factor, value, path, product);
  }

  // Gives periodic sides a condition that takes nothing, so that the default does not apply there.
  void join_periodic_sides(const Value* boundary) {
    if (input_.periodic.empty()) return;
    MeshCondition joined;
    joined.name = periodic_condition;
    joined.kind = BoundaryKind::neumann;
    for (std::size_t g = 0; g < mesh().groups.size(); ++g) {
      if (std::ranges::find(input_.periodic, mesh().groups[g].key()) == input_.periodic.end()) continue;
      joined.groups.push_back(static_cast<int>(g));
      names_.use(g);
      for (const Value::Entry& entry : boundary ? boundary->entries : std::vector<Value::Entry>{})
        if (entry.key == mesh().groups[g].key())
          parts_.errors.add(entry.mark, "boundary." + entry.key,
                            "is a periodic patch, which has no condition; remove it here or from grid.periodic");
    }
    input_.problem.conditions.push_back(std::move(joined));
  }

  // The same name or number may belong to groups of several dimensions; sides are meant first.
  std::vector<int> boundary_groups(const Value::Entry& entry, const std::string& path, bool holds) {
    const int sides = mesh().dimension - 1;
    const auto exists = [&](int least, int most) {
      return std::ranges::any_of(mesh().groups, [&](const MeshGroup& g) {
        return g.key() == entry.key && g.dimension >= least && g.dimension <= most;
      });
    };
    if (exists(sides, sides) || !holds) return names_.groups_of(entry, path, exists(sides, sides) ? sides : 0, sides);
    return names_.groups_of(entry, path, 0, exists(0, sides) ? sides : mesh().dimension);
  }

  ConfigParts& parts_;
  MeshInput& input_;
  MeshNames& names_;
};

}  // namespace

Quantity MeshNames::quantity(const Value& value, const std::string& path, const std::string& name) {
  parts_.config.marks[name] = value.mark.text() + ": " + path;
  if (value.array) {
    parts_.errors.add(value.mark, path, "is an array, which has no values on a mesh; give a number or an expression");
    return 0.0;
  }
  return value.kind == Value::Kind::number ? Quantity(value.number) : *value.quantity;
}

std::vector<int> MeshNames::groups_of(const Value::Entry& entry, const std::string& path, int least, int most) {
  std::vector<int> found, others;
  std::vector<std::string> keys;
  for (std::size_t g = 0; g < mesh_.groups.size(); ++g) {
    const MeshGroup& group = mesh_.groups[g];
    keys.push_back(printable(group.key()));
    if (group.key() != entry.key) continue;
    (group.dimension >= least && group.dimension <= most ? found : others).push_back(static_cast<int>(g));
  }
  for (const int g : found) used_[static_cast<std::size_t>(g)] = true;
  if (!found.empty()) return found;
  if (!others.empty())
    parts_.errors.add(entry.mark, path,
                      "is a group of elements of dimension " +
                          std::to_string(mesh_.groups[static_cast<std::size_t>(others[0])].dimension) +
                          ", but this key needs " +
                          (least == most ? "dimension " + std::to_string(least)
                                         : "dimensions " + std::to_string(least) + " to " + std::to_string(most)) +
                          "; use another group");
  else if (keys.empty())
    parts_.errors.add(entry.mark, path, "the mesh has no groups; remove it, or name physical groups in the mesh");
  else
    parts_.errors.add(entry.mark, path,
                      "the mesh has no group of this name; " + suggest(entry.key, keys, "choose one of"));
  return {};
}

void read_mesh_conditions(ConfigParts& parts, MeshInput& input, MeshNames& names) {
  MeshConditionReader(parts, input, names).run();
}

}  // namespace poisson
