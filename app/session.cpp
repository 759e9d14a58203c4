#include "app/session.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "app/memory.hpp"
#include "app/reasons.hpp"
#include "app/report.hpp"
#include "backends/device/device.hpp"
#include "backends/device/shared_fields.hpp"
#include "backends/device/unknowns.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "io/config/given_array.hpp"
#include "solver/direct/fast_diagonalization.hpp"

namespace poisson {
namespace {

void require_finite(const Field& values, const char* name) {
  Backend& backend = values.backend();
  Scalar square = backend.scalar();
  backend.dot(values, values, square);
  if (!std::isfinite(backend.value(square)))
    throw ConfigError(
        {std::string(name) + ": the array has values that are not finite; replace them, for example with 0"});
}

// Returns the configuration of a solver that solves many times.
std::shared_ptr<const Config> kept(const Config& config) {
  auto copy = std::make_shared<Config>(config);
  copy->options.kept = true;
  return copy;
}

}  // namespace

Session::Session(std::shared_ptr<const Config> config, const DeviceSetup& setup, SessionProcesses processes,
                 const Session* like)
    : config_(kept(*config)), processes_(std::move(processes)) {
  Stopwatch watch;
  if (config_->mesh || config_->rows)
    throw InputError(
        "grid.type: this class solves on boxes; read meshes by load_mesh and solve_rows for matrices of any sparsity");
  if (processes_.all->alone()) {
    read_datasets(*config_);
    backend_ = make_backend(config_->device, setup);
    share_fields(backend_, like ? like->backend_.get() : nullptr);
    with_places(*config_, [&] {
      case_ = make_case(*config_, processes_.all);
      check_memory(*config_, *case_, *backend_, 1);
      return 0;
    });
  } else {
    if (setup.allocate || setup.stream) throw InputError("several processes use memory and streams of their own");
    make_case_together();
  }
  with_places(*config_, [&] {
    solver_ = &case_->make_solver(*backend_, nullptr);
    case_->fill();
    return 0;
  });
  if (processes_.all->alone()) {
    shape_ = case_->field(field_choice("u")).shape;
  } else {
    const Box box = block_of(discretization().block().location());
    for (std::size_t d = 0; d < 3; ++d) shape_[d] = box.last[d] - box.first[d];
  }
  if (!processes_.all->alone()) plan();  // together
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

const Plan& Session::plan() const {
  if (!plan_) plan_ = dynamic_cast<ModelCase&>(*case_).model().plan(config_->options);
  return *plan_;
}

Quantity Session::quantity(const std::shared_ptr<GridArray>& array, const std::string& name) const {
  try {
    const bool of_face = name.starts_with("boundary.");
    return given_array(processes_.all->alone() || of_face ? array : distributed(*array, name), name, config_->problem);
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
  const auto sets_b = [](const auto& change) {
    return change.first == "source" || (change.first.starts_with("boundary.") && !change.first.ends_with(".alpha"));
  };
  updated_ = updated_ || config_->output.effective || !std::ranges::all_of(changes, sets_b);
  return update(data_of(std::move(changes)));
}

bool Session::update(GridData data) {
  GridModel& model = grid_model();
  lent_filled_ = false;
  if (!data.faces.empty() || !data.coefficient.empty() || data.reaction) zero_halo_ = false;
  if (data.source) lent_ = nullptr, narrow_lent_ = nullptr;
  const bool levels =
      !data.coefficient.empty() || data.reaction ||
      std::ranges::any_of(data.faces, [](const GridData::Face& face) { return face.alpha.has_value(); });
  const auto kept_memory = keep_released_memory(*backend_);
  return with_places(*config_, [&] {
    model.update(std::move(data));
    if (!levels) return false;
    broken_ = true;
    const bool differs = solver_->update();
    broken_ = false;
    plan_.reset();
    if (!processes_.all->alone()) plan();
    return differs;
  });
}

void Session::require_levels() const {
  if (broken_) throw RunError("the last update of the coefficient or the reaction failed: set valid values first");
}

// Returns whether the data of the faces leave the halo of the solution zero.
bool Session::has_no_face_data() const {
  const auto* model = dynamic_cast<const GridModel*>(&dynamic_cast<ModelCase&>(*case_).model());
  if (!model) return false;
  const Problem& problem = model->discretization().problem();
  return !has_mixed_bc(problem) && has_zero_faces(problem);
}

Course Session::run(bool given_guess, const Listener& listener, Model::Data data) {
  effective_.reset();
  solver_->prepare(given_guess);
  Stopwatch watch;
  Course course;
  course.result = case_->solve(
      given_guess,
      [&](const Solver::Progress&) {
        return !processes_.all->any(listener && !listener());  // all stop together
      },
      data);
  course.seconds = solve_seconds_ = watch.lap();
  course.reason = describe_end(course.result, solver_->options());
  last_ = course.result;
  return course;
}

Course Session::solve(const Values* guess, const Listener& listener, const Lines& lines) {
  require_levels();
  Stopwatch watch;
  if ((lent_ || narrow_lent_) && can_lend())
    fill_with_lent();
  else
    own_source(), fill();
  zero_halo_ = has_no_face_data();
  if (guess) {
    put_unknowns(*guess, 1, solver_->solution());
    set_gaps(0, solver_->solution(), /*fixed_values=*/false);  // otherwise they would be steps of the iteration
    require_finite(solver_->solution(), "guess");
  }
  solver_->on_fallback(lines);
  const double filled = watch.lap();
  Course course = run(guess || config_->problem.initial.has_value(), listener);
  course.data_seconds = filled;
  solver_->on_fallback({});
  return course;
}

Course Session::solve_rhs(const Values& b, const Listener& listener) {
  require_levels();
  lent_filled_ = false;
  if (fixes_values()) {
    backend_->fill(solver_->rhs(), 0);
    backend_->fill(solver_->solution(), 0);
  }
  if (!zero_halo_) {
    const Field zero(*backend_, solver_->solution().space(), solver_->solution().precision());
    backend_->convert(zero, solver_->solution());  // data of faces in the halo
    zero_halo_ = true;
  }
  put_unknowns(b, solver_->A().scale(), solver_->rhs());
  solver_->check_flows(false);  // their balance contains the source of the model
  Course course = run(false, listener, Model::Data::none);
  solver_->check_flows(true);
  if (course.result.verdict == Verdict::not_finite) require_finite(solver_->rhs(), "right-hand side");
  return course;
}

void Session::apply(const Values& u, const Values& product) {
  require_levels();
  const Operator& A = solver_->A();
  Field x(*backend_, A.space(), A.precision());
  if (!image_) image_ = Field(*backend_, A.space(), A.precision());
  put_unknowns(u, 1, x);
  backend_->fill(image_, 0);
  A.apply(x, image_);
  take_values(image_, 1 / A.scale(), product);
}

void Session::rhs(const Values& b) {
  require_levels();
  own_source();
  with_places(*config_, [&] { return case_->fill(); });
  clear_unknowns(solver_->solution());
  lent_filled_ = zero_halo_ = false;
  const Operator& A = solver_->A();
  if (!image_) image_ = Field(*backend_, A.space(), A.precision());
  backend_->fill(image_, 0);
  A.residual(solver_->solution(), solver_->rhs(), image_);
  take_values(image_, 1 / A.scale(), b);
}

}  // namespace poisson
