// The results of a session: fields, summaries and files.

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "app/answers/answer_files.hpp"
#include "app/answers/capacitance.hpp"
#include "app/answers/effective.hpp"
#include "app/describe.hpp"
#include "app/reasons.hpp"
#include "app/report.hpp"
#include "app/session.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"

namespace poisson {
namespace {

// Returns the row of a field. Throws InputError if the problem has no such field, std::out_of_range for other names.
const FieldChoice& field_of(std::string_view name, const Problem& problem) {
  const FieldChoice& choice = field_choice(name);
  const std::string begin = "the field '" + std::string(name) + "' needs ";
  if (choice.needs_exact && !problem.exact) throw InputError(begin + "an exact solution: give exact");
  if (choice.needs_media && !problem.media) throw InputError(begin + "materials: give materials and bodies");
  if (choice.cells_only && problem.centering != Centering::cell)
    throw InputError(begin + "unknowns in cells: give centering cell");
  if (choice.face_axis >= problem.dimension) throw InputError(begin + "three dimensions");
  return choice;
}

}  // namespace

std::array<int, 4> Session::field_shape(std::string_view name) {
  if (name == "u") return {shape_[0], shape_[1], shape_[2], 1};
  const Pieces pieces = case_->field(field_of(name, config_->problem));
  return {pieces.shape[0], pieces.shape[1], pieces.shape[2], pieces.components};
}

void Session::field(std::string_view name, double* values) {
  if (name == "u" && !config_->matrix) return solution(on_host(values));
  if (name == "source") own_source();
  const Pieces pieces = case_->field(field_of(name, config_->problem));
  pieces.fill(0, pieces.shape[2], {values, pieces.plane() * static_cast<std::size_t>(pieces.shape[2])});
}

void Session::field(std::string_view name, float* values) {
  if (name == "u" && !config_->matrix) return solution(on_host(values));
  if (name == "source") own_source();
  const Pieces pieces = case_->field(field_of(name, config_->problem));
  std::vector<double> plane(pieces.plane());
  for (int k = 0; k < pieces.shape[2]; ++k) {
    pieces.fill(k, k + 1, plane);
    values = std::transform(plane.begin(), plane.end(), values, [](double v) { return static_cast<float>(v); });
  }
}

std::vector<double> Session::face_values(int axis, int end, bool alpha) const {
  const Discretization& d = discretization();
  if (axis < 0 || axis >= d.problem().dimension || end < 0 || end > 1) throw std::out_of_range("there is no such face");
  const Boundary& face = d.problem().boundary[static_cast<std::size_t>(axis)][static_cast<std::size_t>(end)];
  return with_places(*config_, [&] {
    return sample(alpha ? face.alpha : face.value, face_key(axis, end, alpha), Sign::any, {d.block()},
                  d.block().location(), face_box(d.block(), axis, end));
  });
}

Summary Session::observe() {
  require_levels();
  own_source();
  Summary summary;
  record_run(summary);
  with_places(*config_, [&] {
    case_->observe(summary);
    return 0;
  });
  return summary;
}

void Session::record_run(Summary& summary) {
  record(last_, *solver_, summary);
  summary.title = config_->title;
  summary.dimension = config_->problem.dimension;
  summary.quantity = config_->output.quantity;
  summary.unit = config_->output.unit;
  summary.configuration = config_->effective;
  summary.device = backend_->device();
  summary.unknowns = solver_->A().space().unknown_count();
  summary.levels = solver_->levels();
  std::tie(summary.least_cell, summary.widest_cell) = cell_widths(*config_);
  summary.peak_memory_bytes = static_cast<std::int64_t>(backend_->memory().peak());
  summary.time.setup = setup_seconds_;
  summary.time.solve = solve_seconds_;
  summary.time.total = setup_seconds_ + solve_seconds_;
}

// Answers that need further solves start from the data of the configuration.
void Session::require_first_data(const char* what) const {
  require_levels();
  if (updated_)
    throw InputError(std::string(what) + " follows from the problem, and the solver has other data: make a problem " +
                     "with these data");
}

Summary::Effective Session::effective(const Listener& listener) {
  if (!config_->output.effective)
    throw InputError("the effective coefficient was not requested: give output.effective");
  require_first_data("the effective coefficient");
  if (effective_) return *effective_;
  Summary summary;
  summary.converged = last_.converged();
  const auto stopped = [&] { return processes_.all->any(listener && !listener()); };
  with_places(*config_, [&] {
    EffectiveAnswer(*config_, *case_, stopped, summary).finish(*backend_, processes_.all, stopped, summary);
    return 0;
  });
  if (summary.effective->failed.empty()) effective_ = summary.effective;
  return *summary.effective;
}

Summary::Capacitance Session::capacitance(const Listener& listener) {
  if (config_->output.conductors.empty()) throw InputError("no matrix was requested: give output.capacitance");
  require_first_data("a matrix of conductors");
  if (capacitance_) return *capacitance_;
  const auto stopped = [&] { return processes_.all->any(listener && !listener()); };
  capacitance_ = with_places(*config_, [&] { return find_capacitance(*config_, *backend_, processes_.all, stopped); });
  return *capacitance_;
}

Summary Session::save(const std::filesystem::path& folder, const std::string& version) {
  require_levels();
  const Processes& all = *processes_.all;
  Config config = *config_;
  config.output.directory = folder;
  std::vector<std::string> names = answer_files(config);
  const bool nodes = std::ranges::any_of(config.output.fields, [&](const std::string& name) {
    return field_choice(name).location(config.problem.centering) == Location::node;
  });
  for (const std::string& format : config.output.formats)
    if (!config.output.fields.empty())
      std::ranges::move(names_of_files(format, case_->output_mesh(), nodes, all.count()), std::back_inserter(names));
  std::optional<ResultFolder> results;  // exists on the first process
  std::string staging;
  together(all, [&] {
    if (!all.first()) return;
    results.emplace(folder);
    results->check_names(names);
    staging = std::filesystem::absolute(results->staging()).string();
  });
  std::size_t length = staging.size();
  all.broadcast(&length, sizeof length, 0);
  staging.resize(length);
  all.broadcast(staging.data(), length, 0);
  Summary summary = observe();
  summary.version = version;
  summary.ranks = all.count();
  summary.cuts = case_->cuts();
  RunHeader header;
  case_->describe(header, summary);
  if (config.output.effective) summary.effective = effective({});
  if (!config.output.conductors.empty()) summary.capacitance = capacitance({});
  write_fields(config, *case_, staging, processes_.all, summary);
  write_answers(config, *processes_.all, staging, summary);
  together(all, [&] {
    if (results) results->publish(summary);
  });
  return summary;
}

}  // namespace poisson
