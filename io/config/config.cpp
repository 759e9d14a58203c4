#include "io/config/config.hpp"

#include <memory>
#include <utility>

#include "io/config/config_image.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/config_rows.hpp"
#include "io/config/config_unstructured.hpp"
#include "io/config/foreign_input.hpp"
#include "io/config/schema.hpp"
#include "io/config/schema_mesh.hpp"
#include "io/config/schema_rows.hpp"

namespace poisson {

std::string Config::describe(std::string_view quantity) const {
  const auto found = marks.find(quantity);
  return found == marks.end() ? std::string(quantity) : found->second;
}

std::vector<double> numbers(const Value* list) {
  std::vector<double> all;
  if (!list) return all;
  for (const Value& item : list->items) all.push_back(item.number);
  return all;
}

namespace {

/// Makes paths of the command line and the default directory relative to the file's folder. The effective configuration
/// then works as a configuration file in that folder.
void localize_paths(Value& map, const std::filesystem::path& folder) {
  for (Value::Entry& entry : map.entries) {
    Value& value = entry.value;
    localize_paths(value, folder);
    const bool path = entry.key == "file" || entry.key == "files" || entry.key == "rhs" || entry.key == "directory" ||
                      entry.key == "mesh";
    if (!path || value.kind != Value::Kind::string || value.mark.line > 0) continue;
    if (std::filesystem::path(value.text).is_relative() && !folder.empty())
      value.text = std::filesystem::proximate(std::filesystem::absolute(value.text), folder).generic_string();
  }
}

// Does the same as read_document for a mesh, and for a matrix of any sparsity.
Config read_gridless_document(Value& raw, const std::filesystem::path& file, Diagnostics& errors) {
  Config config;
  config.parameters = read_parameters(raw, errors);
  Value document = validate(raw, schema_of(raw), config.parameters, errors);
  check_overridden_parameters(raw, config.parameters, errors);
  if (describes_mesh(raw))
    read_mesh_document(document, file, errors, config);
  else
    read_rows_document(document, file, errors, config);
  localize_paths(document, file.parent_path());
  config.effective = to_json(document, 2);
  return config;
}

// Checks a document and reads each of its parts.
Config read_document(Value& raw, const std::filesystem::path& file, Diagnostics& errors,
                     std::shared_ptr<const ImageSource> given_image = nullptr) {
  if (describes_mesh(raw) || describes_rows(raw)) return read_gridless_document(raw, file, errors);
  Config config;
  config.parameters = read_parameters(raw, errors);
  const std::shared_ptr<const ImageInput> image =
      open_image_of(raw, file.parent_path(), config.parameters, std::move(given_image), errors);
  Value document = validate(raw, configuration_schema(), config.parameters, errors);
  check_overridden_parameters(raw, config.parameters, errors);
  ConfigParts parts{document, file.parent_path(), errors, config};
  parts.image = image;
  if (const Value* title = document.find("title")) config.title = title->text;
  if (const Value* assembly = document.at("discretization.assembly"))
    config.assembly = static_cast<Assembly>(assembly->choice);
  if (const Value* scheme = document.at("discretization.scheme"))
    config.problem.scheme = static_cast<Scheme>(scheme->choice);
  const Value* const device = document.at("backend.device");
  if (device) config.device = device->text;
  if (device) config.marks["backend.device"] = device->mark.text() + ": backend.device";
  if (const Value* transport = document.at("backend.transport"))
    config.transport = static_cast<Transport>(transport->choice);
  const Value* const blocks = document.at("backend.blocks");
  for (const double count : numbers(blocks)) config.blocks.push_back(static_cast<int>(count));
  if (blocks) config.marks["backend.blocks"] = blocks->mark.text() + ": backend.blocks";
  read_centering(parts);
  const bool grid_known = read_grid(parts);
  if (!config.matrix) read_boundary(parts);
  read_equation(parts, grid_known);
  read_media(parts, grid_known);
  read_answers(parts, grid_known);
  read_solver(parts);
  if (config.options.amg != Amg::own)
    errors.add(document.at("solver.amg")->mark, "solver.amg",
               "hypre solves meshes and matrices of any sparsity (grid.type: unstructured or matrix); remove it");
  check_assembly(parts);
  check_fourth_order(parts);
  read_output(parts, grid_known, file);
  if (config.matrix) check_matrix(parts);
  errors.raise();
  check_direct(parts);
  errors.raise();
  localize_paths(document, parts.folder);
  config.effective = to_json(document, 2);
  return config;
}

}  // namespace

Config state_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Diagnostics errors;
  refuse_foreign_file(file);
  Value raw = read_yaml(file, errors);
  refuse_foreign_content(raw);
  if (raw.kind == Value::Kind::map || raw.kind == Value::Kind::null)
    for (const std::string& assignment : overrides) apply_override(raw, schema_of(raw), assignment, errors);
  if (raw.kind == Value::Kind::null) {
    errors.add(raw.mark, {}, "the file is empty; give at least domain: {lower, upper} and grid: {cells}");
    errors.raise();
  }
  return read_document(raw, file, errors);
}

Config state_config(Value raw, const std::string& name, std::shared_ptr<const ImageSource> image) {
  Diagnostics errors;
  return read_document(raw, name, errors, std::move(image));
}

Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Config config = state_config(file, overrides);
  read_datasets(config);
  read_matrix(config);
  return config;
}

}  // namespace poisson
