#include "io/config/config_unstructured.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "io/config/config_blocks.hpp"
#include "io/config/config_mesh_bodies.hpp"
#include "io/config/config_mesh_conditions.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/schema.hpp"
#include "io/config/schema_mesh.hpp"
#include "io/config/spelling.hpp"
#include "io/files/hdf5.hpp"
#include "io/meshes/mesh_file.hpp"
#include "io/meshes/mesh_input.hpp"
#include "solver/blocks_model.hpp"
#include "solver/rows_model.hpp"

namespace poisson {
namespace {

/// Reads the problem on a mesh.
class MeshProblemReader {
 public:
  MeshProblemReader(ConfigParts& parts, MeshInput& input) : parts_(parts), input_(input), problem_(input.problem) {}

  void run(const std::filesystem::path& file) {
    check_entries("boundary");
    check_entries("materials");
    const Value* type = parts_.document.at("grid.type");
    if (type && type->text == "blocks")
      read_blocks(parts_, input_);
    else
      read_mesh_file();
    if (!problem_.mesh) return;
    set_extent();
    add_bodies(parts_, input_);
    names_.emplace(parts_, mesh());
    read_equation();
    read_materials();
    read_mesh_conditions(parts_, input_, *names_);
    read_solver(parts_);
    check_solver();
    read_output(file);
    const std::vector<std::string> groups = describe_groups(*problem_.mesh, names_->used());
    input_.table.insert(input_.table.end(), groups.begin() + (input_.blocks ? 1 : 0), groups.end());
    warn_of_rest();
    if (std::string empty = describe_empty_groups(mesh(), names_->used()); !empty.empty())
      input_.warnings.push_back(std::move(empty));
  }

 private:
  const Mesh& mesh() const { return *problem_.mesh; }

  // Validation leaves the entries of dictionaries unchecked. Wrong ones are removed.
  void check_entries(std::string_view section) {
    Value* map = parts_.document.find(section);
    const auto schema = std::ranges::find(mesh_schema().keys, section, &Schema::key);
    if (!map) return;
    std::vector<Value::Entry> good;
    for (Value::Entry& entry : map->entries)
      if (auto value = validate_part(entry.value, schema->items.front(), std::string(section) + "." + entry.key,
                                     parts_.config.parameters, parts_.errors)) {
        entry.value = std::move(*value);
        good.push_back(std::move(entry));
      }
    map->entries = std::move(good);
  }

  void read_mesh_file() {
    const Value* file = parts_.document.at("grid.file");
    if (!file) return;
    const Value *scale = parts_.document.at("grid.scale"), *groups = parts_.document.at("grid.groups");
    try {
      auto mesh = std::make_shared<Mesh>(
          read_mesh(parts_.path(*file), scale ? scale->number : 1, given(groups) ? groups->text : ""));
      const MeshFaults faults = check_mesh(*mesh);
      input_.warnings = describe_faults(*mesh, faults);
      problem_.mesh = std::move(mesh);
    } catch (const InputError& error) {
      parts_.errors.add(file->mark, "grid.file", error.what());
    }
  }

  void set_extent() {
    Problem& box = parts_.config.problem;
    box.dimension = mesh().dimension;
    constexpr double far = std::numeric_limits<double>::max();
    std::array<double, 3> lower{far, far, far}, upper{-far, -far, -far};
    for (const MeshCells& block : mesh().cells)
      for (const int p : block.corners)
        for (std::size_t d = 0; d < 3; ++d) {
          lower[d] = std::min(lower[d], mesh().points[static_cast<std::size_t>(p)][d]);
          upper[d] = std::max(upper[d], mesh().points[static_cast<std::size_t>(p)][d]);
        }
    for (std::size_t d = 0; d < 3; ++d)
      box.nodes[d] = d < static_cast<std::size_t>(box.dimension) ? std::vector{lower[d], upper[d]} : std::vector{0.0};
  }

  MeshCoefficient coefficient(const Value& value, const std::string& path, const std::string& name) {
    constexpr std::array<std::string_view, 6> entries{"x", "y", "z", "xy", "xz", "yz"};
    MeshCoefficient found;
    found.name = name;
    found.isotropic = value.kind != Value::Kind::map;
    parts_.config.marks[name] = value.mark.text() + ": " + path;
    if (found.isotropic) {
      found.entry[0] = found.entry[1] = found.entry[2] = names_->quantity(value, path, name);
      return found;
    }
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const Value* entry = value.find(entries[e]);
      if (!entry) continue;
      const bool in_space = e == 2 || e > 3;
      const std::string here = path + "." + std::string(entries[e]);
      if (in_space && mesh().dimension == 2 && entry->given)
        parts_.errors.add(entry->mark, here, "does not exist in two dimensions; remove it");
      found.entry[e] = names_->quantity(*entry, here, name + "." + std::string(entries[e]));
    }
    return found;
  }

  void read_equation() {
    if (const Value* kappa = parts_.document.at("equation.coefficient"))
      set_coefficient(problem_, coefficient(*kappa, "equation.coefficient", "coefficient"));
    const auto read = [&](const std::string& path, const std::string& name, auto& to) {
      if (const Value* value = parts_.document.at(path); given(value)) to = names_->quantity(*value, path, name);
    };
    read("equation.reaction", "reaction", problem_.reaction);
    read("equation.source", "source", problem_.source);
    read("equation.exact", "exact", problem_.exact);
    if (const Value* initial = parts_.document.at("solver.initial"); given(initial)) {
      if (initial->kind == Value::Kind::map)
        read_initial(*initial);
      else if (initial->kind != Value::Kind::number || initial->number != 0)
        problem_.initial = parts_.config.problem.initial = names_->quantity(*initial, "solver.initial", "initial");
    }
  }

  // Reads the starting guess from a file of results on the same mesh.
  void read_initial(const Value& initial) {
    const Value *file = initial.find("file"), *name = initial.find("dataset");
    if (!file || !name) return;
    const auto fail = [&](const std::string& message) { parts_.errors.add(initial.mark, "solver.initial", message); };
    try {
      const std::vector<std::int64_t> shape = dataset_shape(parts_.path(*file), name->text);
      if (shape != std::vector{std::ssize(mesh().points)})
        return fail(
            "the dataset has " +
            (shape.size() == 1 ? std::to_string(shape[0]) + " values" : std::to_string(shape.size()) + " axes") +
            ", but the mesh has a list of " + std::to_string(mesh().points.size()) +
            " points; give a result on the same mesh, such as /VTKHDF/PointData/u of its solution.hdf");
      input_.initial = read_dataset(parts_.path(*file), name->text).values;
      const auto bad = std::ranges::find_if_not(input_.initial, [](double u) { return std::isfinite(u); });
      if (bad != input_.initial.end())
        return fail("the value " + std::to_string(bad - input_.initial.begin()) +
                    " of the dataset is not finite; start from another result");
      problem_.initial = parts_.config.problem.initial = 0.0;
    } catch (const InputError& error) {
      fail(error.what());
    }
  }

  // Returns the area or volume of groups. Several physical groups may have one name.
  double total_measure(const std::vector<int>& groups) {
    if (measures_.empty()) measures_ = measure_groups(mesh());
    return std::accumulate(groups.begin(), groups.end(), 0.0,
                           [&](double sum, int g) { return sum + measures_[static_cast<std::size_t>(g)].measure; });
  }
  void read_materials() {
    const Value* materials = parts_.document.find("materials");
    if (!materials) return;
    for (const Value::Entry& entry : materials->entries) {
      const std::string path = "materials." + entry.key;
      const std::vector<int> groups = names_->groups_of(entry, path, mesh().dimension, mesh().dimension);
      const double volume = total_measure(groups);
      for (const int group : groups) {
        MeshMaterial material;
        material.group = group;
        material.name = path;
        if (const Value* kappa = entry.value.find("coefficient"); given(kappa))
          material.coefficient = coefficient(*kappa, path + ".coefficient", path + ".coefficient");
        if (const Value* source = entry.value.find("source"); given(source))
          material.source = names_->quantity(*source, path + ".source", path + ".source");
        if (const Value* power = entry.value.find("power"); given(power)) {
          material.power = volume > 0 ? power->number * total_measure({group}) / volume : 0;
          if (volume <= 0) parts_.errors.add(power->mark, path + ".power", "the group has no elements; remove it");
        }
        if (const Value* fixed = entry.value.find("fixed"); given(fixed)) {
          MeshCondition held;
          held.name = entry.key;
          held.groups = {group};
          held.value = fixed->number;
          problem_.conditions.push_back(std::move(held));
        }
        problem_.materials.push_back(std::move(material));
      }
    }
  }

  void check_solver() {
    const Value* solver = parts_.document.find("solver");
    try {
      if (input_.blocks)
        resolve_block_options(parts_.config.options, input_.stretch, mesh().dimension);
      else
        resolve_row_options(parts_.config.options);
    } catch (const InputError& error) {
      parts_.errors.add(solver ? solver->mark : parts_.document.mark, "solver", error.what());
    }
    warn_of_options(solver);
    parts_.config.options.fallback = Fallback::never;
    keep_hypre_on_cpu(parts_);
    if (parts_.config.flow_tolerance > 0)
      parts_.errors.add(solver->find("flow_tolerance")->mark, "solver.flow_tolerance",
                        "is not supported on meshes; remove it and choose solver.tolerance");
  }

  // Names options that are given and have no effect here.
  void warn_of_options(const Value* solver) {
    std::vector<std::string> names;
    const auto look_at = [&](const Value* map, const char* key, const std::string& path, const auto& asks) {
      if (const Value* value = map ? map->find(key) : nullptr; value && value->given && asks(*value))
        names.push_back(value->mark.text() + ": " + path);
    };
    look_at(solver, "full_multigrid", "solver.full_multigrid", [](const Value& v) { return v.truth; });
    look_at(solver, "fallback", "solver.fallback", [](const Value& v) { return v.text == "always"; });
    look_at(solver, "coarse_operator", "solver.coarse_operator",
            [](const Value& v) { return v.text == "rediscretized"; });
    look_at(parts_.document.find("backend"), "blocks", "backend.blocks",
            [](const Value& v) { return v.kind == Value::Kind::list; });
    for (const std::string& name : names)
      input_.warnings.push_back(name + " has no effect on " + (input_.blocks ? "blocks" : "meshes") + "; remove it");
  }

  void read_output(const std::filesystem::path& file) {
    Value* output = parts_.document.find("output");
    if (!output) return;
    Config::Output& to = parts_.config.output;
    if (Value* directory = output->find("directory")) {
      if (directory->kind == Value::Kind::null) {
        directory->kind = Value::Kind::string;
        directory->text = "results/" + (is_standard_input(file) ? "stdin" : file.stem().string());
        directory->mark.line = 0;
      }
      to.directory = parts_.path(*directory);
    }
    if (const Value* fields = output->find("fields"))
      for (const Value& field : fields->items) {
        if (field.text == "error" && !problem_.exact)
          parts_.errors.add(field.mark, "output.fields",
                            "error needs the exact solution; add equation: {exact: ...} or remove error");
        to.fields.push_back(field.text);
      }
    if (const Value* formats = output->find("formats"))
      for (const Value& format : formats->items) to.formats.push_back(format.text);
    if (const Value* quantity = output->find("quantity")) {
      if (const Value* name = quantity->find("name")) to.quantity = name->text;
      if (const Value* unit = quantity->find("unit"); given(unit)) to.unit = unit->text;
    }
    if (const Value* probes = output->find("probes"))
      for (std::size_t i = 0; i < probes->items.size(); ++i) {
        const Value& probe = probes->items[i];
        const std::string path = "output.probes[" + std::to_string(i) + "]", size = std::to_string(mesh().dimension);
        parts_.config.marks[path] = probe.mark.text() + ": " + path;
        if (static_cast<int>(probe.items.size()) != mesh().dimension)
          parts_.errors.add(
              probe.mark, path,
              "has " + std::to_string(probe.items.size()) + " coordinates in " + size + " dimensions; give " + size);
        to.probes.push_back(numbers(&probe));
      }
  }

  // Names groups of sides to which boundary.default applies, since users often forget one.
  void warn_of_rest() {
    const std::vector<bool>& used = names_->used();
    std::vector<std::string> names;
    for (std::size_t g = 0; g < used.size(); ++g)
      if (!used[g] && mesh().groups[g].dimension == mesh().dimension - 1)
        names.push_back(printable(mesh().groups[g].key()));
    if (names.empty() || parts_.document.at("boundary.default")) return;
    input_.warnings.push_back(
        "no condition names these groups of sides: " + join(names) +
        ". On the boundary, u = 0 there; write boundary: {default: ...} to choose another condition");
  }

  ConfigParts& parts_;
  MeshInput& input_;
  MeshProblem& problem_;
  std::optional<MeshNames> names_;
  std::vector<GroupMeasure> measures_;
};

}  // namespace

void read_mesh_document(Value& document, const std::filesystem::path& file, Diagnostics& errors, Config& config) {
  ConfigParts parts{document, file.parent_path(), errors, config};
  if (const Value* title = document.find("title")) config.title = title->text;
  const Value* const device = document.at("backend.device");
  if (device) config.device = device->text;
  if (device) config.marks["backend.device"] = device->mark.text() + ": backend.device";
  auto input = std::make_shared<MeshInput>();
  MeshProblemReader(parts, *input).run(file);
  errors.raise();
  config.mesh = std::move(input);
}

}  // namespace poisson
