// The results of a session: fields, summaries and files.

#include <algorithm>
#include <iterator>
#include <tuple>

#include "app/describe.hpp"
#include "app/reasons.hpp"
#include "app/report.hpp"
#include "app/session.hpp"
#include "backends/memory/places.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"

namespace poisson {

std::array<int, 4> Session::field_shape(std::string_view name) {
  if (name == "u") return {shape_[0], shape_[1], shape_[2], 1};
  const Pieces pieces = case_->field(field_choice(name));
  return {pieces.shape[0], pieces.shape[1], pieces.shape[2], pieces.components};
}

void Session::field(std::string_view name, double* values) {
  if (name == "u" && !config_->matrix) return solution(on_host(values));
  if (name == "source") own_source();
  const Pieces pieces = case_->field(field_choice(name));
  pieces.fill(0, pieces.shape[2], {values, pieces.plane() * static_cast<std::size_t>(pieces.shape[2])});
}

void Session::field(std::string_view name, float* values) {
  if (name == "u" && !config_->matrix) return solution(on_host(values));
  if (name == "source") own_source();
  const Pieces pieces = case_->field(field_choice(name));
  std::vector<double> plane(pieces.plane());
  for (int k = 0; k < pieces.shape[2]; ++k) {
    pieces.fill(k, k + 1, plane);
    values = std::transform(plane.begin(), plane.end(), values, [](double v) { return static_cast<float>(v); });
  }
}

std::vector<double> Session::face_values(int axis, int end, bool alpha) const {
  const Discretization& d = discretization();
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

Summary Session::save(const std::filesystem::path& folder, const std::string& version) {
  require_levels();
  Config config = *config_;
  config.output.directory = folder;
  const std::shared_ptr<const Processes> alone = one_process();
  ResultFolder results(folder);
  std::vector<std::string> names;
  const bool nodes = std::ranges::any_of(config.output.fields, [&](const std::string& name) {
    return field_choice(name).location(config.problem.centering) == Location::node;
  });
  for (const std::string& format : config.output.formats)
    if (!config.output.fields.empty())
      std::ranges::move(file_format(format).files(case_->output_grid(), nodes, 1), std::back_inserter(names));
  results.check_names(names);
  Summary summary = observe();
  summary.version = version;
  RunHeader header;
  case_->describe(header, summary);
  write_fields(config, *case_, results.staging(), alone, summary);
  results.publish(summary);
  return summary;
}

}  // namespace poisson
