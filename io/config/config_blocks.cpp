#include "io/config/config_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "io/config/block_axes.hpp"
#include "io/config/schema_blocks.hpp"
#include "io/meshes/macro_file.hpp"
#include "io/meshes/mesh_file.hpp"
#include "solver/blocks_model.hpp"

namespace poisson {
namespace {

/// Reads the macro mesh, its curves and its patches.
class BlockReader {
 public:
  BlockReader(ConfigParts& parts, MeshInput& input)
      : parts_(parts), input_(input), grid_(*parts.document.find("grid")) {}

  void run() {
    if (!read_macro_mesh()) return;
    if (const Value* listed = grid_.find("patches"))
      for (const Value::Entry& entry : listed->entries) read_patch(entry);
    if (const Value* curves = grid_.find("curves"))
      for (std::size_t c = 0; c < curves->items.size(); ++c)
        read_curve(curves->items[c], "grid.curves[" + std::to_string(c) + "]");
    if (good_) read_periodic();
    if (!good_ || !spread_cells(parts_, in_file_ ? nullptr : grid_.find("blocks"), geometry_)) return;
    try {
      auto mesh = std::make_shared<BlockMesh>(make_block_mesh(geometry_));
      const CellShapes shapes = measure_cells(*mesh);
      input_.table = describe_blocks(*mesh, shapes);
      for (std::string& warning : warn_of_cells(*mesh, shapes)) input_.warnings.push_back(std::move(warning));
      input_.stretch = shapes.stretch();
      input_.needle = longest_needle(shapes);
      input_.problem.mesh = mesh->mesh;
      input_.blocks = std::move(mesh);
    } catch (const InputError& error) {
      fail_in_blocks(error.what());
    }
  }

 private:
  void fail(const Mark& mark, const std::string& key, const std::string& message) {
    parts_.errors.add(mark, key, message);
    good_ = false;
  }

  // Reports an error of the macro mesh at the first block that it names.
  void fail_in_blocks(const std::string& message) {
    const Value* at = place_;
    constexpr std::string_view name = "grid.blocks[";
    if (const std::size_t found = message.find(name); !in_file_ && found != std::string::npos) {
      const std::size_t b = std::strtoul(message.c_str() + found + name.size(), nullptr, 10);
      if (b < place_->items.size()) at = &place_->items[b];
    }
    fail(at->mark, place_key_, message);
  }

  bool read_macro_mesh() {
    const Value *file = grid_.find("file"), *blocks = grid_.find("blocks");
    in_file_ = given(file);
    if (in_file_ == given(blocks)) {
      if (!file || !blocks) return good_ = false;  // an error names what is wrong with it
      fail(grid_.mark, "grid",
           in_file_ ? "has both file and blocks; keep one of the two"
                    : "needs blocks; add vertices: and blocks: [{corners: [0, 1, 2, 3], cells: [32, 32]}], or file: "
                      "part.msh");
      return false;
    }
    if (const Value* vertices = grid_.find("vertices"); in_file_ && given(vertices))
      fail(vertices->mark, "grid.vertices", "conflicts with file, which has the vertices; keep one of the two");
    if (const Value* scale = grid_.find("scale"); !in_file_ && scale && scale->given)
      fail(
          scale->mark, "grid.scale",
          "multiplies the coordinates of a file; here write it into them, as in parameters: {mm: 1e-3} and [20*mm, 0]");
    place_ = in_file_ ? file : blocks;
    place_key_ = in_file_ ? "grid.file" : "grid.blocks";
    try {
      MacroMesh macro;
      if (in_file_) {
        const Value* scale = grid_.find("scale");
        Mesh mesh = read_mesh(parts_.path(*file), scale ? scale->number : 1);
        MeshFaults faults = check_mesh(mesh);
        faults.crossed = faults.hanging = faults.coincident = {};  // errors below name their blocks
        mesh.second_order = 0;                                     // their edges are curves
        input_.warnings = describe_faults(mesh, faults);
        macro = macro_mesh_of(mesh);
        check_joints(macro);
        geometry_.topology = std::make_shared<const MacroTopology>(macro);
        geometry_.patches = patches_of(mesh, *geometry_.topology);
        geometry_.curves = curves_of(mesh, *geometry_.topology);
      } else {
        if (!read_inline(*blocks, macro)) return false;
        check_joints(macro);
        geometry_.topology = std::make_shared<const MacroTopology>(macro);
        read_materials(*blocks);
      }
    } catch (const InputError& error) {
      fail_in_blocks(error.what());
    }
    return good_;
  }

  Place3 place(const Value& list, const std::string& key, int dimension) {
    Place3 x{};
    if (static_cast<int>(list.items.size()) != dimension)
      fail(list.mark, key,
           fmt::format("has {} coordinates, but the blocks have {} dimensions; give {}", list.items.size(), dimension,
                       dimension));
    for (std::size_t d = 0; d < std::min<std::size_t>(3, list.items.size()); ++d) x[d] = list.items[d].number;
    return x;
  }

  bool read_inline(const Value& blocks, MacroMesh& macro) {
    const Value* vertices = grid_.find("vertices");
    if (!given(vertices)) {
      if (!vertices) return good_ = false;
      fail(blocks.mark, "grid.blocks", "needs vertices; add grid: {vertices: [[0, 0], [1, 0], [1, 1], [0, 1]]}");
      return false;
    }
    macro.dimension = static_cast<int>(vertices->items.front().items.size());
    for (std::size_t v = 0; v < vertices->items.size(); ++v)
      macro.vertices.push_back(place(vertices->items[v], "grid.vertices[" + std::to_string(v) + "]", macro.dimension));
    constexpr std::array<std::size_t, 8> order{0, 1, 3, 2, 4, 5, 7, 6};
    for (std::size_t b = 0; b < blocks.items.size(); ++b) {
      const std::string key = "grid.blocks[" + std::to_string(b) + "]";
      const Value* corners = blocks.items[b].find("corners");
      if (!corners) return false;
      MacroMesh::Block& block = macro.blocks.emplace_back();
      block.name = key;
      if (corners->items.size() != macro.corners()) {
        fail(corners->mark, key + ".corners",
             fmt::format("has {} vertices; a block in {} dimensions has {}", corners->items.size(), macro.dimension,
                         macro.corners()));
        continue;
      }
      for (std::size_t c = 0; c < macro.corners(); ++c)
        block.corners[c] = vertex(corners->items[order[c]], key + ".corners");
    }
    warn_of_vertices(macro, *vertices);
    return good_;
  }

  void warn_of_vertices(const MacroMesh& macro, const Value& vertices) {
    std::vector<bool> used(macro.vertices.size(), false);
    for (const MacroMesh::Block& block : macro.blocks)
      for (std::size_t c = 0; c < macro.corners(); ++c) used[static_cast<std::size_t>(block.corners[c])] = true;
    const auto first = std::ranges::find(used, false);
    if (good_ && first != used.end())
      input_.warnings.push_back(fmt::format("{}: grid.vertices: no block has the vertex {}; it is left out",
                                            vertices.items[static_cast<std::size_t>(first - used.begin())].mark.text(),
                                            first - used.begin()));
  }

  int vertex(const Value& number, const std::string& key) {
    const auto count = static_cast<double>(grid_vertices());
    if (number.number < count) return static_cast<int>(number.number);
    fail(number.mark, key,
         fmt::format("the vertex {} does not exist; there are {}, with numbers from 0 to {}", number.text, count,
                     count - 1));
    return 0;
  }
  std::size_t grid_vertices() const {
    return geometry_.topology ? geometry_.topology->mesh().vertices.size() : grid_.find("vertices")->items.size();
  }

  void read_materials(const Value& blocks) {
    for (std::size_t b = 0; b < blocks.items.size(); ++b) {
      const Value* name = blocks.items[b].find("material");
      if (!given(name)) continue;
      const auto named = [&](const char* section) {
        const Value* const map = parts_.document.find(section);
        return map && std::ranges::find(map->entries, name->text, &Value::Entry::key) != map->entries.end();
      };
      if (!named("materials") && !named("boundary"))
        fail(name->mark, "grid.blocks[" + std::to_string(b) + "].material",
             "no material has the name " + name->text + "; add it to materials");
      auto known = std::ranges::find(geometry_.patches, name->text, &BlockPatch::name);
      if (known == geometry_.patches.end()) known = geometry_.patches.insert(known, BlockPatch{name->text, {}});
      known->parts.push_back(static_cast<int>(b));
    }
  }

  void read_patch(const Value::Entry& entry) {
    const std::string key = "grid.patches." + entry.key;
    const auto listed = validate_part(entry.value, block_patch(), key, parts_.config.parameters, parts_.errors);
    if (!listed) {
      good_ = false;
      return;
    }
    if (std::ranges::find(geometry_.patches, entry.key, &BlockPatch::name) != geometry_.patches.end() ||
        entry.key == "default" || entry.key == unnamed_patch)
      return fail(entry.mark, key, "is the name of a material, of a group or of all other sides; choose another name");
    BlockPatch patch{entry.key, {}};
    for (const Value& side : listed->items) {
      std::vector<int> vertices;
      const bool before = std::exchange(good_, true);
      for (const Value& number : side.items) vertices.push_back(vertex(number, key));
      const bool exist = std::exchange(good_, good_ && before);
      if (!exist) continue;
      const int part = geometry_.topology->find(vertices), wanted = geometry_.topology->dimension() - 1;
      if (part < 0 || geometry_.topology->parts()[static_cast<std::size_t>(part)].dimension != wanted) {
        fail(side.mark, key,
             fmt::format(
                 "no block has {} with the vertices {}; give {}", wanted == 1 ? "an edge" : "a face",
                 fmt::join(vertices, ", "),
                 wanted == 1 ? "two vertices that are neighbours in a block" : "four vertices of one side of a block"));
        continue;
      }
      if (std::ranges::find(patch.parts, part) != patch.parts.end())
        fail(side.mark, key, geometry_.topology->describe(part) + " is listed twice; remove one");
      for (const BlockPatch& other : geometry_.patches)
        if (!in_file_ && std::ranges::find(other.parts, part) != other.parts.end())
          fail(side.mark, key,
               geometry_.topology->describe(part) + " is in the patch " + other.name +
                   " already; remove it from one of them");
      patch.parts.push_back(part);
    }
    geometry_.patches.push_back(std::move(patch));
  }

  void read_periodic() {
    const Value* listed = grid_.find("periodic");
    if (!listed || listed->items.empty()) return;
    std::vector<std::pair<const BlockPatch*, const BlockPatch*>> pairs;
    const auto patch = [&](const Value& name) {
      const auto found = std::ranges::find(geometry_.patches, name.text, &BlockPatch::name);
      if (found == geometry_.patches.end())
        fail(name.mark, "grid.periodic", "no patch has the name " + name.text + "; add it to grid.patches");
      else if (std::ranges::find(input_.periodic, name.text) != input_.periodic.end())
        fail(name.mark, "grid.periodic", "the patch " + name.text + " is in two pairs, or twice in one; keep one");
      else
        input_.periodic.push_back(name.text);
      return found == geometry_.patches.end() ? nullptr : &*found;
    };
    for (const Value& pair : listed->items) pairs.emplace_back(patch(pair.items[0]), patch(pair.items[1]));
    if (!good_) return;
    try {
      geometry_.joined = join_periodic(*geometry_.topology, pairs);
    } catch (const InputError& error) {
      fail(listed->mark, "grid.periodic", error.what());
    }
  }

  void read_curve(const Value& value, const std::string& key) {
    const Value *edge = value.find("edge"), *arc = value.find("arc"), *spline = value.find("spline"),
                *faces = value.find("faces"), *onto = value.find("onto");
    if (given(faces) == given(edge))
      return fail(value.mark, key, "needs either edge, with arc or spline, or faces with onto");
    if (given(faces)) return read_surface(*faces, onto, key);
    if (given(arc) == given(spline)) return fail(value.mark, key, "needs either arc or spline; add arc: [0.5, 0.2]");
    const bool before = std::exchange(good_, true);
    const int from = vertex(edge->items[0], key + ".edge"), to = vertex(edge->items[1], key + ".edge"),
              part = geometry_.topology->find({from, to});
    if (const bool exist = std::exchange(good_, good_ && before); !exist) return;
    if (part < 0) return fail(edge->mark, key + ".edge", fmt::format("no block has an edge from {} to {}", from, to));
    const int dimension = geometry_.topology->dimension();
    const auto& vertices = geometry_.topology->mesh().vertices;
    const Place3 &start = vertices[static_cast<std::size_t>(from)], &end = vertices[static_cast<std::size_t>(to)];
    try {
      Curve curve;
      if (given(arc)) {
        curve = arc_through(start, place(*arc, key + ".arc", dimension), end);
      } else {
        std::vector<Place3> places{start};
        for (const Value& item : spline->items) places.push_back(place(item, key + ".spline", dimension));
        places.push_back(end);
        curve = spline_through(places);
      }
      if (geometry_.topology->parts()[static_cast<std::size_t>(part)].corners[0] != from)
        curve = [forward = std::move(curve)](double t) { return forward(1 - t); };
      if (!geometry_.curves.emplace(part, std::move(curve)).second)
        fail(edge->mark, key + ".edge", geometry_.topology->describe(part) + " has two curves; keep one");
    } catch (const std::invalid_argument& error) {
      fail(value.mark, key, std::string(error.what()) + "; move them");
    }
  }

  void read_surface(const Value& faces, const Value* onto, const std::string& key) {
    const int dimension = geometry_.topology->dimension();
    const Value *cylinder = given(onto) ? onto->find("cylinder") : nullptr,
                *sphere = given(onto) ? onto->find("sphere") : nullptr;
    if (dimension == 2) return fail(faces.mark, key, "faces exist in space only; give edge with arc or spline");
    if (given(cylinder) == given(sphere))
      return fail(faces.mark, key,
                  "needs onto: {cylinder: {centre, axis, radius}} or onto: {sphere: {centre, radius}}");
    const auto patch = std::ranges::find(geometry_.patches, faces.text, &BlockPatch::name);
    if (patch == geometry_.patches.end())
      return fail(faces.mark, key + ".faces", "no patch has the name " + faces.text + "; add it to grid.patches");
    const Value& shape = given(cylinder) ? *cylinder : *sphere;
    const Value *centre = shape.find("centre"), *axis = shape.find("axis"), *radius = shape.find("radius");
    if (!centre || !radius || (given(cylinder) && !axis)) return;
    const Place3 middle = place(*centre, key + ".onto", 3), along = axis ? place(*axis, key + ".onto", 3) : Place3{};
    if (given(cylinder) && along == Place3{})
      return fail(axis->mark, key + ".onto.cylinder.axis", "has no direction; give [0, 0, 1]");
    const Surface surface =
        given(cylinder) ? cylinder_surface(middle, along, radius->number) : sphere_surface(middle, radius->number);
    for (const int part : patch->parts) {
      if (geometry_.topology->parts()[static_cast<std::size_t>(part)].dimension != 2)
        return fail(faces.mark, key + ".faces", faces.text + " is a material; name a patch of grid.patches");
      if (!geometry_.surfaces.emplace(part, surface).second)
        return fail(faces.mark, key + ".faces", geometry_.topology->describe(part) + " has two surfaces; keep one");
    }
  }

  ConfigParts& parts_;
  MeshInput& input_;
  const Value& grid_;
  const Value* place_ = nullptr;
  std::string place_key_;
  BlockGeometry geometry_;
  bool in_file_ = false, good_ = true;
};

}  // namespace

void read_blocks(ConfigParts& parts, MeshInput& input) {
  BlockReader(parts, input).run();
}

}  // namespace poisson
