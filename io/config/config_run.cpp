#include <algorithm>

#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/schemes/assembly.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/spelling.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {

namespace {

using Kind = Value::Kind;

template <class Enumerator>
void choose(const Value* value, Enumerator& chosen) {
  if (value) chosen = static_cast<Enumerator>(value->choice);
}

template <class Number>
void take(const Value* value, Number& number) {
  if (value) number = static_cast<Number>(value->number);
}

template <class Number>
void take(const Value* value, std::optional<Number>& number) {
  if (given(value)) number = static_cast<Number>(value->number);
}

// Sets the smoother from its type: a kind from the table, or `line` or `plane`, which use a polynomial.
void read_smoother(const Value& smoother, SmootherOptions& options) {
  const Value *type = smoother.find("type"), *form = smoother.find("kind");
  const std::string_view name = type ? std::string_view(type->text) : "auto";
  const bool lines = name == "line", planes = name == "plane";
  if (lines || planes) options.extent = lines ? RelaxationChoice::lines : RelaxationChoice::planes;
  if (name != "auto")
    options.kind = &smoother_kind(lines || planes ? "chebyshev" : name, form ? std::string_view(form->text) : "");
  if (options.kind)
    for (const SmootherParameter& parameter : options.kind->parameters)
      if (const Value* value = smoother.find(parameter.name); given(value))
        options.given.emplace(parameter.name, value->number);
  take(smoother.find("pre"), options.pre);
  take(smoother.find("post"), options.post);
}

bool contains(const Problem& problem, const std::vector<double>& point) {
  for (std::size_t d = 0; d < point.size(); ++d)
    if (point[d] < problem.nodes[d].front() || point[d] > problem.nodes[d].back()) return false;
  return true;
}

void read_probes(ConfigParts& parts, bool grid_known, const Value& probes) {
  const Problem& problem = parts.config.problem;
  for (std::size_t i = 0; i < probes.items.size(); ++i) {
    const Value& probe = probes.items[i];
    const std::vector<double> point = numbers(&probe);
    const std::string key = "output.probes[" + std::to_string(i) + "]";
    if (parts.dimension_known && static_cast<int>(point.size()) != problem.dimension)
      parts.errors.add(probe.mark, key,
                       "has " + std::to_string(point.size()) + " coordinates in " + std::to_string(problem.dimension) +
                           " dimensions; give " + std::to_string(problem.dimension));
    else if (grid_known && !contains(problem, point))
      parts.errors.add(probe.mark, key, to_json(probe, -1) + " is outside the domain; move it inside or onto a face");
    else
      parts.config.output.probes.push_back(point);
  }
}

void read_formats(ConfigParts& parts, Value& formats) {
  const std::vector<std::string> available = available_formats();
  if (formats.kind == Kind::null) {
    formats.kind = Kind::list;
    for (const std::string& name : available) {
      Value word;
      word.kind = Kind::string;
      word.text = name;
      formats.items.push_back(word);
    }
  }
  for (std::size_t i = 0; i < formats.items.size(); ++i) {
    const Value& format = formats.items[i];
    if (std::ranges::find(available, format.text) == available.end())
      parts.errors.add(format.mark, "output.formats[" + std::to_string(i) + "]",
                       "this build does not support " + format.text + "; " +
                           (available.empty() ? "write []" : "choose from " + join(available)) +
                           ", or install the library and rebuild");
    parts.config.output.formats.push_back(format.text);
  }
}

}  // namespace

void read_solver(ConfigParts& parts) {
  const Value* solver = parts.document.find("solver");
  if (!solver) return;
  Options& options = parts.config.options;
  choose(solver->find("method"), options.method);
  choose(solver->find("cycle"), options.cycle);
  choose(solver->find("krylov"), options.krylov);
  choose(solver->find("preconditioner"), options.preconditioner);
  choose(solver->find("coarse_operator"), options.coarse_operator);
  choose(solver->find("precision"), options.precision);
  choose(solver->find("fallback"), options.fallback);
  choose(solver->find("amg"), options.amg);
  take(solver->find("tolerance"), options.tolerance);
  take(solver->find("max_iterations"), options.max_iterations);
  if (const Value* flow = solver->find("flow_tolerance"); flow && flow->kind == Value::Kind::number) {
    parts.config.flow_tolerance = flow->number;
    const Value* extrapolate = solver->find("extrapolate");
    if (options.tolerance == 0 || (extrapolate && extrapolate->truth))
      parts.errors.add(flow->mark, "solver.flow_tolerance",
                       options.tolerance == 0 ? "ends a solve early, but tolerance: 0 runs all iterations; remove one"
                                              : "does not support extrapolate; remove one of the two");
  }
  if (const Value* full = solver->find("full_multigrid")) options.full_multigrid = full->truth;
  if (const Value* extrapolate = solver->find("extrapolate")) options.extrapolate = extrapolate->truth;
  const Value* smoother = solver->find("smoother");
  if (smoother) read_smoother(*smoother, options.smoother);

  const bool multigrid = options.method == Method::multigrid || options.method == Method::automatic;
  if (options.preconditioner != PreconditionerChoice::automatic &&
      (options.method == Method::jacobi || options.method == Method::direct || options.krylov == Krylov::none))
    parts.errors.add(solver->find("preconditioner")->mark, "solver.preconditioner",
                     "applies to conjugate gradients only, but solver." +
                         (options.krylov == Krylov::none ? std::string("krylov is none")
                                                         : "method is " + solver->find("method")->text) +
                         "; remove it, or write method: cg");
  if (!multigrid && options.krylov == Krylov::cg)
    parts.errors.add(solver->find("krylov")->mark, "solver.krylov",
                     "cg accelerates multigrid, but solver.method is " + solver->find("method")->text +
                         "; write krylov: none or method: multigrid");
  if (!multigrid && options.coarse_operator != CoarseOperator::automatic)
    parts.errors.add(solver->find("coarse_operator")->mark, "solver.coarse_operator",
                     "applies to multigrid only, but solver.method is " + solver->find("method")->text +
                         "; write coarse_operator: auto or method: multigrid");
  if (multigrid && smoother && options.coarse_operator == CoarseOperator::galerkin &&
      options.smoother.extent == RelaxationChoice::planes)
    parts.errors.add(solver->find("coarse_operator")->mark, "solver.coarse_operator",
                     "galerkin supports point and line smoothers only, but solver.smoother.type is " +
                         smoother->find("type")->text + "; write coarse_operator: rediscretized or another smoother");
  if (multigrid && smoother && options.smoother.pre == 0 && options.smoother.post == 0)
    parts.errors.add(smoother->find("post")->mark, "solver.smoother.post",
                     "pre and post are both 0, so nothing is smoothed; make their sum at least 1");
}

void keep_hypre_on_cpu(ConfigParts& parts) {
  if (parts.config.options.amg != Amg::hypre) return;
  if (parts.config.device.starts_with("cuda"))
    parts.errors.add(parts.document.at("backend.device")->mark, "backend.device",
                     "hypre solves on the CPU here; write cpu, or solver.amg: own");
  parts.config.device = "cpu";
}

void check_assembly(ConfigParts& parts) {
  const Assembly assembly = parts.config.assembly;
  const Value* asked = parts.document.at("discretization.assembly");
  if (asked && (assembly == Assembly::partial || assembly == Assembly::recompute) &&
      needs_stored_bands(parts.config.problem))
    parts.errors.add(asked->mark, "discretization.assembly",
                     std::string(name_of(assembly)) +
                         " does not support elements with several conditions on a face (only bands store its "
                         "constrained nodes); write assembly: full or auto, or scheme: fv");
}

void check_direct(ConfigParts& parts) {
  const Options& options = parts.config.options;
  const auto check = [&](const char* key, const std::string& reason, const char* what) {
    if (!reason.empty())
      parts.errors.add(parts.document.at(key)->mark, key,
                       std::string("direct requires ") + what + ", but here " + reason + "; write " +
                           std::string(key).substr(std::string("solver.").size()) + ": " +
                           (parts.config.matrix ? "auto" : "multigrid"));
  };
  const std::string matrix = "a matrix from a file has no axes";
  if (options.method == Method::direct)
    check("solver.method", parts.config.matrix ? matrix : no_direct_solution(parts.config.problem),
          "a separable problem");
  if (options.preconditioner == PreconditionerChoice::direct)
    check("solver.preconditioner", parts.config.matrix ? matrix : no_direct_preconditioner(parts.config.problem),
          "a problem that is separable except for the coefficient");
}

namespace {

// Returns true if a run with this output directory would write one of its files to `file`.
bool is_result(const std::filesystem::path& file, const std::filesystem::path& directory) {
  std::error_code unknown;  // if a path does not exist, the paths are compared as text
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file), unknown);
  const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(directory), unknown);
  return is_result_name(whole.filename().string()) &&
         (whole.parent_path() == folder || std::filesystem::equivalent(whole.parent_path(), folder, unknown));
}

// Reports input files that the results of this run would replace.
void protect_inputs(ConfigParts& parts, const Value& map, const std::string& path) {
  for (const Value::Entry& entry : map.entries) {
    const std::string below = path.empty() ? entry.key : path + "." + entry.key;
    const Value& value = entry.value;
    if (value.kind == Kind::map) protect_inputs(parts, value, below);
    if ((entry.key == "file" || entry.key == "rhs") && value.kind == Kind::string &&
        is_result(parts.path(value), parts.config.output.directory))
      parts.errors.add(value.mark, below,
                       "'" + value.text + "' would be replaced by the results of this run; choose another " +
                           "output.directory, or give the file another name");
  }
}

}  // namespace

namespace {

// Fields on faces need unknowns in three dimensions for z, and a format that contains them.
void check_face_fields(ConfigParts& parts, const Value& output) {
  const Value* fields = output.find("fields");
  if (!fields || !output.find("formats")) return;
  const Config& config = parts.config;
  const bool fits = config.output.formats.empty() ||
                    std::ranges::any_of(config.output.formats, [](const auto& f) { return file_format(f).faces; });
  for (std::size_t i = 0; i < fields->items.size(); ++i) {
    const Value& field = fields->items[i];
    const int axis = field_choice(field.text).face_axis;
    if (axis < 0) continue;
    const std::string path = "output.fields[" + std::to_string(i) + "]";
    if (parts.dimension_known && axis >= config.problem.dimension)
      parts.errors.add(field.mark, path, field.text + " needs three dimensions; remove it");
    else if (!fits)
      parts.errors.add(
          field.mark, path,
          field.text + " lies on faces of cells, which only HDF5 files contain; add hdf5 to output.formats");
  }
}

}  // namespace

void read_output(ConfigParts& parts, bool grid_known, const std::filesystem::path& file) {
  Value* output = parts.document.find("output");
  if (!output) return;
  if (Value* directory = output->find("directory")) {
    if (directory->kind == Kind::null) {
      directory->kind = Kind::string;
      directory->text = "results/" + (is_standard_input(file) ? "stdin" : file.stem().string());
      directory->mark.line = 0;  // it is relative to the working directory, as on the command line
    }
    parts.config.output.directory = parts.path(*directory);
    protect_inputs(parts, parts.document, {});
    if (!is_standard_input(file) && is_result(file, parts.config.output.directory))
      parts.errors.add(directory->mark, "output.directory",
                       "the results would replace the configuration " + file.string() + "; choose another directory");
  }
  if (const Value* fields = output->find("fields")) {
    const Value* equation = parts.document.find("equation");
    for (std::size_t i = 0; i < fields->items.size(); ++i) {
      const Value& field = fields->items[i];
      const Value* exact = equation ? equation->find("exact") : nullptr;
      if (field_choice(field.text).needs_exact && exact && exact->kind == Kind::null)
        parts.errors.add(field.mark, "output.fields[" + std::to_string(i) + "]",
                         field.text + " needs the exact solution; add equation: {exact: ...} or remove " + field.text);
      const std::string path = "output.fields[" + std::to_string(i) + "]";
      const FieldChoice& choice = field_choice(field.text);
      if (choice.cells_only && !parts.config.matrix && parts.config.problem.centering != Centering::cell)
        parts.errors.add(
            field.mark, path,
            field.text + " needs unknowns in cells; add discretization: {centering: cell} or remove " + field.text);
      if (choice.needs_media && !uses_media(parts.document))
        parts.errors.add(field.mark, path, field.text + " needs materials; add bodies or remove " + field.text);
      parts.config.output.fields.push_back(field.text);
    }
  }
  if (Value* formats = output->find("formats")) read_formats(parts, *formats);
  check_face_fields(parts, *output);
  if (parts.dimension_known) read_picture(parts, grid_known, *output);
  if (const Value* bodies = output->find("bodies")) parts.config.output.bodies = bodies->truth;
  if (const Value* probes = output->find("probes")) read_probes(parts, grid_known, *probes);
}

}  // namespace poisson
