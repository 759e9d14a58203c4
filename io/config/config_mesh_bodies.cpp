#include "io/config/config_mesh_bodies.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/config/config_shapes.hpp"
#include "io/config/spelling.hpp"

namespace poisson {
namespace {

struct BodyOnMesh {
  ShapePtr shape;
  int group = 0;
};

// Returns the group of elements with a name, which is added if the mesh lacks it.
int group_named(Mesh& mesh, const std::string& name) {
  int largest = 0;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    if (mesh.groups[g].key() == name && mesh.groups[g].dimension == mesh.dimension) return static_cast<int>(g);
    largest = std::max(largest, mesh.groups[g].number);
  }
  mesh.groups.push_back({mesh.dimension, largest + 1, name});
  return static_cast<int>(mesh.groups.size()) - 1;
}

std::vector<BodyOnMesh> read_bodies(ConfigParts& parts, const Value& bodies, Mesh& mesh) {
  std::vector<std::string> names;
  if (const Value* materials = parts.document.find("materials"))
    for (const Value::Entry& entry : materials->entries) names.push_back(entry.key);
  std::vector<BodyOnMesh> read;
  for (std::size_t b = 0; b < bodies.items.size(); ++b) {
    const Value& body = bodies.items[b];
    const std::string path = "bodies[" + std::to_string(b) + "]";
    const Value* name = body.find("material");
    ShapePtr shape = read_shape(body, path, parts);
    if (!name || !shape) continue;
    if (std::ranges::find(names, name->text) == names.end()) {
      parts.errors.add(name->mark, path + ".material",
                       "unknown material \"" + name->text + "\"; " +
                           (names.empty() ? "add it to materials" : suggest(name->text, names, "the materials are")));
      continue;
    }
    read.push_back({std::move(shape), group_named(mesh, name->text)});
  }
  return read;
}

}  // namespace

void add_bodies(ConfigParts& parts, MeshInput& input) {
  const Value* bodies = parts.document.find("bodies");
  if (!bodies || bodies->items.empty()) return;
  auto changed = std::make_shared<Mesh>(*input.problem.mesh);
  const std::vector<BodyOnMesh> read = read_bodies(parts, *bodies, *changed);
  if (read.size() < bodies->items.size()) return;
  const auto first = static_cast<int>(changed->labels.size());
  for (const BodyOnMesh& body : read) {
    body.shape->prepare();
    changed->labels.push_back({body.group});
  }
  std::vector<std::int64_t> count(read.size(), 0);
  for (MeshCells& cells : changed->cells) {
    if (facts_of(cells.shape).dimension != changed->dimension) continue;
    const std::int64_t elements = cells.count();
#pragma omp parallel for schedule(dynamic, 1024)
    for (std::int64_t e = 0; e < elements; ++e) {
      const std::array<double, 3> centre = centre_of(*changed, cells.of(e));
      std::size_t b = read.size();
      while (b > 0 && !read[b - 1].shape->contains(centre)) --b;
      if (b == 0) continue;
      cells.label[static_cast<std::size_t>(e)] = first + static_cast<int>(b) - 1;
#pragma omp atomic
      ++count[b - 1];
    }
  }
  for (std::size_t b = 0; b < read.size(); ++b)
    if (count[b] == 0)
      parts.config.warnings.push_back(bodies->items[b].mark.text() + ": bodies[" + std::to_string(b) +
                                      "]: contains the centre of no element, or later bodies cover it; use more cells");
  input.problem.mesh = changed;
  if (!input.blocks) return;
  auto blocks = std::make_shared<BlockMesh>(*input.blocks);
  blocks->mesh = std::move(changed);
  input.blocks = std::move(blocks);
}

}  // namespace poisson
