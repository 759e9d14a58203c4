#include "python/core/session.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "app/describe.hpp"
#include "app/memory.hpp"
#include "app/reasons.hpp"
#include "app/report.hpp"
#include "backends/device/clear.hpp"
#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/config/given_array.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"

namespace poisson::python {
namespace {

// Calls f, and replaces the names of invalid quantities by their keys.
template <class F>
auto with_places(const Config& config, const F& f) {
  try {
    return f();
  } catch (const ValueErrors& errors) {
    throw located(config, errors);
  } catch (const ValueError& error) {
    throw located(config, ValueErrors({error}));
  }
}

}  // namespace

Session::Session(std::shared_ptr<const Config> config) : config_(std::move(config)) {
  Stopwatch watch;
  read_datasets(*config_);
  backend_ = make_backend(config_->device, nullptr, 0, config_->transport);
  with_places(*config_, [&] {
    case_ = make_case(*config_, one_process());
    check_memory(*config_, *case_, *backend_, 1);
    solver_ = &case_->make_solver(*backend_, nullptr);
    case_->fill();
    return 0;
  });
  shape_ = case_->field(field_choice("u")).shape;
  setup_seconds_ = watch.lap();
}

GridModel& Session::grid_model() const {
  auto* model = dynamic_cast<GridModel*>(&dynamic_cast<ModelCase&>(*case_).model());
  if (!model) throw InputError("a matrix from a file has fixed data (grid.type: banded): load the problem again");
  return *model;
}

const Discretization& Session::discretization() const {
  return grid_model().discretization();
}

Plan Session::plan() const {
  return dynamic_cast<ModelCase&>(*case_).model().plan(config_->options);
}

Quantity Session::quantity(const std::shared_ptr<GridArray>& array, const std::string& name) const {
  try {
    return given_array(array, name, config_->problem);
  } catch (const InputError& error) {
    throw ConfigError({config_->describe(name) + ": " + error.what()});
  }
}

bool Session::update(GridData data) {
  GridModel& model = grid_model();
  const bool levels = !data.coefficient.empty() || data.reaction ||
                      std::ranges::any_of(data.faces, [](const GridData::Face& face) { return face.alpha.has_value(); });
  if (levels && !data.coefficient.empty() && config_->problem.isotropic) data.coefficient.resize(3, data.coefficient[0]);
  return with_places(*config_, [&] {
    model.update(std::move(data));
    if (!levels) return false;
    broken_ = true;
    const bool differs = solver_->update();
    broken_ = false;
    return differs;
  });
}

void Session::require_levels() const {
  if (broken_) throw RunError("the last update of the coefficient or the reaction failed: set valid values first");
}

void Session::put_unknowns(const double* values, double factor, Field& field) const {
  const Layout& layout = field.layout();
  const auto width = static_cast<std::int64_t>(layout.n[0] + (shape()[0] > layout.n[0] ? 1 : 0));
  const std::int64_t plane = width * shape()[1];
  std::unique_ptr<Backend> host;
  Field copy;
  if (!on_host(field)) {
    host = make_cpu_backend();
    copy = Field(*host, field.space(), field.precision());
    transfer(field, copy);
  }
  Field& target = copy ? copy : field;
  dispatch(field.precision(), [&]<class T>(T) {
    const View<T> view = target.view<T>();
    for_each_place(field.space().unknowns(), [&](int i, int j, int k) {
      view(i, j, k) = static_cast<T>(factor * values[k * plane + j * width + i]);
    });
  });
  if (copy) transfer(copy, field);
}

Course Session::run(bool given_guess, const Listener& listener) {
  solver_->prepare(given_guess);
  Stopwatch watch;
  Course course;
  course.result = solver_->solve(given_guess, [&](const Solver::Progress&) { return !listener || listener(); });
  course.seconds = solve_seconds_ = watch.lap();
  course.reason = describe_end(course.result, solver_->options());
  last_ = course.result;
  return course;
}

Course Session::solve(const double* guess, const Listener& listener, const Lines& lines) {
  require_levels();
  with_places(*config_, [&] { return case_->fill(); });
  if (guess) put_unknowns(guess, 1, solver_->solution());
  solver_->on_fallback(lines);
  Course course = run(guess || config_->problem.initial.has_value(), listener);
  solver_->on_fallback({});
  return course;
}

Course Session::solve_rhs(const double* b, const Listener& listener) {
  require_levels();
  backend_->fill(solver_->rhs(), 0);
  backend_->fill(solver_->solution(), 0);
  const Field zero(*backend_, solver_->solution().space(), solver_->solution().precision());
  backend_->convert(zero, solver_->solution());  // the halo as well
  put_unknowns(b, solver_->A().scale(), solver_->rhs());
  return run(false, listener);
}

void Session::apply(const double* u, double* product) {
  require_levels();
  const Operator& A = solver_->A();
  Field x(*backend_, A.space(), A.precision());
  if (!image_) image_ = Field(*backend_, A.space(), A.precision());
  put_unknowns(u, 1, x);
  backend_->fill(image_, 0);
  A.apply(x, image_);
  take_values(image_, 1 / A.scale(), product);
}

void Session::take_values(const Field& field, double factor, double* values) const {
  const std::size_t count = static_cast<std::size_t>(shape_[0]) * shape_[1] * shape_[2];
  gather_values(discretization().block(), field).fill(0, shape_[2], {values, count});
  std::for_each_n(values, count, [factor](double& value) { value *= factor; });
}

void Session::rhs(double* b) {
  require_levels();
  with_places(*config_, [&] { return case_->fill(); });
  clear_unknowns(solver_->solution());
  const Operator& A = solver_->A();
  if (!image_) image_ = Field(*backend_, A.space(), A.precision());
  backend_->fill(image_, 0);
  A.residual(solver_->solution(), solver_->rhs(), image_);
  take_values(image_, 1 / A.scale(), b);
}

std::array<int, 4> Session::field_shape(std::string_view name) {
  const Pieces pieces = case_->field(field_choice(name));
  return {pieces.shape[0], pieces.shape[1], pieces.shape[2], pieces.components};
}

void Session::field(std::string_view name, double* values) {
  const Pieces pieces = case_->field(field_choice(name));
  pieces.fill(0, pieces.shape[2], {values, pieces.plane() * static_cast<std::size_t>(pieces.shape[2])});
}

void Session::field(std::string_view name, float* values) {
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

}  // namespace poisson::python
