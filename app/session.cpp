#include "app/session.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "app/memory.hpp"
#include "app/reasons.hpp"
#include "app/report.hpp"
#include "backends/device/clear.hpp"
#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "io/config/given_array.hpp"

namespace poisson {

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

GridData Session::data_of(std::map<std::string, Quantity> changes) const {
  GridData data;
  const Problem& problem = discretization().problem();
  for (auto& [name, quantity] : changes) {
    const std::string_view face = std::string_view(name).substr(std::min<std::size_t>(name.size(), 9));
    const auto found = std::ranges::find(face_names, face.substr(0, 2));
    const auto place = static_cast<int>(found - face_names.begin());
    if (name == "coefficient" || name == "coefficient.x" || name == "coefficient.y" || name == "coefficient.z") {
      if (data.coefficient.empty()) data.coefficient.assign(problem.coefficient.begin(), problem.coefficient.end());
      data.coefficient[name.ends_with(".y") ? 1 : name.ends_with(".z") ? 2 : 0] = std::move(quantity);
    } else if (name == "reaction") {
      data.reaction = std::move(quantity);
    } else if (name == "source") {
      data.source = std::move(quantity);
    } else if (name.starts_with("boundary.") && place < 2 * problem.dimension && face.size() == 2) {
      data.faces.push_back({place / 2, place % 2, std::move(quantity), {}});
    } else if (name.starts_with("boundary.") && place < 2 * problem.dimension && face.substr(2) == ".alpha") {
      data.faces.push_back({place / 2, place % 2, {}, std::move(quantity)});
    } else {
      throw InputError("unknown quantity '" + name + "': choose from coefficient (.x, .y, .z), reaction, source, " +
                       "boundary.x- and so on, boundary.x-.alpha and so on");
    }
  }
  if (!data.coefficient.empty() && problem.isotropic) data.coefficient.assign(3, Quantity(data.coefficient[0]));
  return data;
}

bool Session::update(std::map<std::string, Quantity> changes) {
  return update(data_of(std::move(changes)));
}

bool Session::update(GridData data) {
  GridModel& model = grid_model();
  lent_filled_ = false;
  if (data.source) lent_ = nullptr, narrow_lent_ = nullptr;
  const bool levels =
      !data.coefficient.empty() || data.reaction ||
      std::ranges::any_of(data.faces, [](const GridData::Face& face) { return face.alpha.has_value(); });
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

// Large jumps of κ make solves check the flows, which needs the sums of a source that the model owns.
bool Session::can_lend() const {
  constexpr double checked_range = 1e2;
  const auto* model = dynamic_cast<const GridModel*>(&dynamic_cast<ModelCase&>(*case_).model());
  return model && model->discretization().problem().scheme == Scheme::fv && on_host(solver_->rhs()) &&
         !solver_->options().extrapolate && !config_->problem.initial && model->kappa().jumps.range < checked_range;
}

bool Session::lend_source(const double* values) {
  if (!can_lend()) return false;
  lent_ = values;
  narrow_lent_ = nullptr;
  return true;
}

bool Session::lend_source(const float* values) {
  if (!can_lend()) return false;
  lent_ = nullptr;
  narrow_lent_ = values;
  return true;
}

// Adds volume times source to b. Returns the sum of magnitudes, which shows values that are not finite.
template <class T>
double Session::fill_lent(const T* values) {
  const Block& block = discretization().block();
  Field& b = solver_->rhs();
  const Box box = b.space().unknowns();
  const double scale = solver_->A().scale();
  const std::int64_t plane = std::int64_t{shape_[0]} * shape_[1];
  std::vector<double> mass;
  for (int i = box.first[0]; i < box.last[0]; ++i) mass.push_back(scale * block.axes[0].mass(i));
  double sum = 0;
  dispatch(b.precision(), [&]<class U>(U) {
    const View<U> view = b.view<U>();
#pragma omp parallel for collapse(2) reduction(+ : sum) if (box.size() > 100000)
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        const double area = block.axes[1].mass(j) * block.axes[2].mass(k);
        const T* const line = values + k * plane + static_cast<std::int64_t>(j) * shape_[0];
        U* const row = view.line(j, k);
        double of_line = 0;
        for (int i = box.first[0]; i < box.last[0]; ++i) {
          const double value = area * mass[static_cast<std::size_t>(i - box.first[0])] * static_cast<double>(line[i]);
          row[i] = has_base_ ? static_cast<U>(row[i] + value) : static_cast<U>(value);
          of_line += std::abs(value);
        }
        sum += of_line;
      }
  });
  return sum;
}

void Session::fill_with_lent() {
  Field& b = solver_->rhs();
  if (!lent_filled_) {
    with_places(*config_, [&] {
      grid_model().update({.source = Quantity(0.0)});
      return case_->fill();
    });
    Scalar norm = backend_->scalar();
    backend_->dot(b, b, norm);
    has_base_ = backend_->value(norm) > 0;
    if (has_base_) {
      if (!base_) base_ = Field(*backend_, b.space(), b.precision());
      backend_->copy(b, base_);
    }
    lent_filled_ = true;
  } else {
    clear_unknowns(solver_->solution());
    if (has_base_) backend_->copy(base_, b);
  }
  const double sum = lent_ ? fill_lent(lent_) : fill_lent(narrow_lent_);
  if (std::isfinite(sum)) return;
  own_source();
  with_places(*config_, [&] { return case_->fill(); });  // reports the value and its place
}

// Copies a lent source into the model, for everything that needs it there.
void Session::own_source() {
  if (!lent_ && !narrow_lent_) return;
  auto array = std::make_shared<GridArray>();
  const std::size_t count = static_cast<std::size_t>(shape_[0]) * shape_[1] * shape_[2];
  for (std::size_t d = 0; d < 3; ++d) array->shape[d] = shape_[d];
  array->location = discretization().block().location();
  if (lent_)
    array->values.assign(lent_, lent_ + count);
  else
    array->values.assign(narrow_lent_, narrow_lent_ + count);
  grid_model().update({.source = Quantity(std::shared_ptr<const GridArray>(array))});
  lent_filled_ = false;
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
  Stopwatch watch;
  if ((lent_ || narrow_lent_) && can_lend())
    fill_with_lent();
  else
    own_source(), with_places(*config_, [&] { return case_->fill(); });
  if (guess) put_unknowns(guess, 1, solver_->solution());
  solver_->on_fallback(lines);
  const double filled = watch.lap();
  Course course = run(guess || config_->problem.initial.has_value(), listener);
  course.data_seconds = filled;
  solver_->on_fallback({});
  return course;
}

Course Session::solve_rhs(const double* b, const Listener& listener) {
  require_levels();
  lent_filled_ = false;
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
  own_source();
  with_places(*config_, [&] { return case_->fill(); });
  clear_unknowns(solver_->solution());
  lent_filled_ = false;
  const Operator& A = solver_->A();
  if (!image_) image_ = Field(*backend_, A.space(), A.precision());
  backend_->fill(image_, 0);
  A.residual(solver_->solution(), solver_->rhs(), image_);
  take_values(image_, 1 / A.scale(), b);
}

}  // namespace poisson
