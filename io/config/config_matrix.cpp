#include <algorithm>
#include <array>
#include <cstdio>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/spelling.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"
#include "io/files/matrix_file.hpp"

namespace poisson {
namespace {

// Returns text such as "u, residual and source".
std::string fields_of_matrices() {
  std::vector<std::string> names;
  for (const FieldChoice& choice : field_choices())
    if (choice.of_matrix) names.emplace_back(choice.name);
  const std::string last = names.back();
  names.pop_back();
  return join(names) + " and " + last;
}

using Kind = Value::Kind;

bool written(const Value* value) {
  return given(value) && value->given;
}

/// Refuses keys that a matrix determines, if they are given, and removes them from the effective configuration.
void refuse_keys(ConfigParts& parts) {
  constexpr std::string_view keys[]{"domain",
                                    "grid.cells",
                                    "grid.axes",
                                    "boundary",
                                    "discretization",
                                    "equation.coefficient",
                                    "equation.reaction",
                                    "equation.exact",
                                    "materials",
                                    "background",
                                    "bodies",
                                    "surfaces",
                                    "contacts",
                                    "sheets"};
  for (const std::string_view path : keys) {
    const std::size_t dot = path.find('.');
    Value* map = dot == std::string_view::npos ? &parts.document : parts.document.find(path.substr(0, dot));
    if (!map) continue;
    const std::string_view key = dot == std::string_view::npos ? path : path.substr(dot + 1);
    if (const Value* value = map->find(key); written(value))
      parts.errors.add(value->mark, std::string(path), "does not apply to a matrix from a file; remove it");
    std::erase_if(map->entries, [&](const Value::Entry& entry) { return entry.key == key; });
  }
}

void check_method(Method method, const BandedMatrix& matrix) {
  if (method != Method::cg && method != Method::multigrid) return;
  const std::string name = method == Method::cg ? "cg" : "multigrid";
  const auto far = matrix.reach();
  const int farthest = std::max({far[0], far[1], far[2]});
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", matrix.asymmetry);
  if (!matrix.symmetric())
    throw InputError(name + " needs a symmetric matrix, but entries of this one differ from their transposes by " +
                     text.data() + " of the diagonal (more than 1e-10); give a symmetric matrix, or method: jacobi");
  if (method == Method::multigrid && farthest > 1)
    throw InputError(
        "multigrid needs a matrix that couples only nearest neighbours on the grid, but this one has an offset of " +
        std::to_string(farthest) + " along an axis; write method: cg");
}

}  // namespace

bool read_matrix_grid(ConfigParts& parts) {
  refuse_keys(parts);
  const Value* grid = parts.document.find("grid");
  const Value* file = grid ? grid->find("file") : nullptr;
  const Value* shape_key = grid ? grid->find("shape") : nullptr;
  const Value* rhs = grid ? grid->find("rhs") : nullptr;
  parts.dimension_known = false;
  if (!file || !shape_key || !rhs) return false;  // it was wrong and has been reported
  std::optional<std::array<int, 3>> shape;
  if (shape_key->kind != Kind::null) {
    shape = {1, 1, 1};
    for (std::size_t d = 0; d < shape_key->items.size(); ++d)
      (*shape)[d] = static_cast<int>(shape_key->items[d].number);
  }
  auto matrix = std::make_shared<BandedMatrix>();
  Config& config = parts.config;
  config.matrix_file = parts.path(*file);
  config.marks["grid.file"] = file->mark.text() + ": grid.file";
  if (rhs->kind != Kind::null) config.marks["grid.rhs"] = rhs->mark.text() + ": grid.rhs";
  try {
    *matrix = state_matrix(config.matrix_file, shape);
    if (rhs->kind != Kind::null)
      config.rhs_file = parts.path(*rhs);
    else if (contains_rhs(config.matrix_file))
      config.rhs_file = config.matrix_file;
  } catch (const InputError& error) {
    parts.errors.add(file->mark, "grid.file", error.what());
    return false;
  }
  Problem& problem = parts.config.problem;
  problem.dimension = matrix->dimension();
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
    problem.nodes[d] =
        matrix->shape[d] > 1 ? uniform_nodes(0, matrix->shape[d] - 1, matrix->shape[d] - 1) : std::vector<double>{0.0};
    for (Boundary& face : problem.boundary[d]) face.kind = BoundaryKind::neumann;
  }
  parts.dimension_known = true;
  parts.config.equidistant = true;
  parts.config.matrix = std::move(matrix);
  return true;
}

void check_matrix(ConfigParts& parts) {
  const BandedMatrix& matrix = *parts.config.matrix;
  const Options& options = parts.config.options;
  if (const Value* method = parts.document.at("solver.method"))
    parts.config.marks["solver.method"] = method->mark.text() + ": solver.method";
  if (const Value* coarse = parts.document.at("solver.coarse_operator");
      coarse && options.coarse_operator == CoarseOperator::rediscretized)
    parts.errors.add(coarse->mark, "solver.coarse_operator",
                     "a matrix from a file cannot be rediscretized; write coarse_operator: galerkin or auto");
  if (const Value* smoother = parts.document.at("solver.smoother"); smoother && options.smoother.lines_or_planes() &&
                                                                    options.method != Method::cg &&
                                                                    options.method != Method::jacobi)
    parts.errors.add(smoother->mark, "solver.smoother",
                     smoother->find("type")->text +
                         " needs axes, which a matrix from a file does not have; choose another smoother");
  if (const Value* fields = parts.document.at("output.fields"))
    for (std::size_t i = 0; i < fields->items.size(); ++i)
      if (const std::string& name = fields->items[i].text; !field_choice(name).of_matrix)
        parts.errors.add(fields->items[i].mark, "output.fields[" + std::to_string(i) + "]",
                         name + " is not available for a matrix; choose from " + fields_of_matrices());
  if (const Value* source = parts.document.at("equation.source"); written(source) && !parts.config.rhs_file.empty())
    parts.errors.add(source->mark, "equation.source",
                     "conflicts with a right-hand side from a file; keep one of the two");
  auto& formats = parts.config.output.formats;
  if (matrix.shape[1] == 1) {  // a line has no picture
    Value* output = parts.document.find("output");
    Value* list = output ? output->find("formats") : nullptr;
    const auto is_picture = [](const std::string& format) { return file_format(format).picture; };
    for (std::size_t i = 0; list && list->given && i < list->items.size(); ++i)
      if (is_picture(list->items[i].text))
        parts.errors.add(list->items[i].mark, "output.formats[" + std::to_string(i) + "]",
                         list->items[i].text + " needs a plane, but this grid is a line; remove it");
    if (list) std::erase_if(list->items, [&](const Value& format) { return is_picture(format.text); });
    std::erase_if(formats, is_picture);
  }
}

void read_matrix(const Config& config, const std::optional<Box>& points, const Processes& processes) {
  if (!config.matrix || !config.matrix->entries.empty()) return;
  BandedMatrix& matrix = *config.matrix;
  const auto marked = [&](std::string_view key, const auto& f) {
    try {
      f();
    } catch (const InputError& error) {
      throw ConfigError({config.describe(key) + ": " + error.what()});
    }
  };
  marked("grid.file", [&] { read_matrix(config.matrix_file, matrix, points, processes); });
  const bool named = config.marks.contains("grid.rhs");  // also if the matrix file contains it
  if (!config.rhs_file.empty())
    marked(named ? "grid.rhs" : "grid.file", [&] { together(processes, [&] { read_rhs(config.rhs_file, matrix); }); });
  marked("solver.method", [&] { check_method(config.options.method, matrix); });
}

}  // namespace poisson
