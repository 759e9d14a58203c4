#include "app/mesh_session.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "app/reasons.hpp"
#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"

namespace poisson {
namespace {

RowsCourse run_solver(Solver& solver, bool guess, const RowsSession::Stop& stop, const RowSpace& space) {
  RowsCourse course;
  course.result = solver.solve(guess, [&](const Solver::Progress&) { return !stop || stop(); });
  course.reason = describe_end(course.result, solver.options());
  course.u = get_rows(solver.solution(), space);
  return course;
}

}  // namespace

Options row_session_options(double tolerance, int max_iterations, bool diagonal, bool double_precision) {
  Options options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.kept = true;
  if (diagonal) options.method = Method::cg;
  if (double_precision) options.precision = SolvePrecision::double_;
  return options;
}

RowsSession::RowsSession(CsrMatrix A, const Options& options, const std::string& device)
    : rows_(examine_rows(std::move(A), {})), backend_(make_backend(device)) {
  model_ = std::make_unique<GeneralRowsModel>(*backend_, rows_);
  solver_ = make_general_solver(*model_, options);
}

RowsCourse RowsSession::solve(std::vector<double> b, std::vector<double> guess, const Stop& stop) {
  const auto n = static_cast<std::size_t>(rows_.system.A.rows());
  for (const auto& [values, name] : {std::pair{&b, "the right-hand side"}, std::pair{&guess, "the guess"}}) {
    if (values == &guess && guess.empty()) continue;
    if (values->size() != n)
      throw InputError(std::string(name) + " has " + std::to_string(values->size()) + " values; give " +
                       std::to_string(n));
    for (const double value : *values)
      if (!std::isfinite(value)) throw InputError(std::string(name) + " has values that are not finite; replace them");
  }
  const auto device = use_device_of(*backend_);
  put_rows(b, model_->rows(), solver_->A().scale(), solver_->rhs());
  if (guess.empty())
    solver_->solution().backend().fill(solver_->solution(), 0);
  else
    put_rows(guess, model_->rows(), 1, solver_->solution());
  return run_solver(*solver_, !guess.empty(), stop, model_->rows());
}

MeshSession::MeshSession(MeshProblem problem, const Options& options, const std::string& device)
    : problem_(std::move(problem)), options_(options), data_(problem_), backend_(make_backend(device)) {}

const MeshSystem& MeshSession::system() {
  const auto device = use_device_of(*backend_);
  assemble_changes();
  if (!backend_->on_gpu()) return *system_;
  return on_host_.emplace(assemble(data_));
}

// The model refers to the rows, so they stay where they are.
void MeshSession::assemble_rows() {
  if (!backend_->on_gpu()) {
    MeshSystem now = assemble(data_);
    if (system_)
      *system_ = std::move(now);
    else
      system_.emplace(std::move(now));
    return;
  }
  if (!assembly_) {
    MeshSystem first;
    number_rows(data_, first);
    assembly_ = make_device_assembly(*backend_, data_, first.row, first.point);
    system_.emplace(std::move(first));
  }
  assemble_again(*assembly_, data_, *system_);
}

void MeshSession::assemble_changes() {
  if (system_ && !changed_) return;
  const bool singular = system_ && system_->rows.singular;
  assemble_rows();
  changed_ = false;
  if (solver_ && changed_matrix_ && system_->rows.singular == singular) {
    solver_->update();
  } else if (solver_ && changed_matrix_) {
    solver_.reset();
    model_.reset();
  }
  changed_matrix_ = false;
}

RowsCourse MeshSession::run(const RowsSession::Stop& stop) {
  return run_solver(*solver_, false, stop, model_->rows());
}

void MeshSession::prepare_solver() {
  assemble_changes();
  if (solver_) return;
  model_ = std::make_unique<RowsModel>(*backend_, system_->rows, /*keeps_levels=*/true);
  solver_ = make_solver(*model_, options_);
}

RowsCourse MeshSession::solve(const RowsSession::Stop& stop) {
  const auto device = use_device_of(*backend_);
  prepare_solver();
  model_->fill(solver_->rhs(), solver_->solution());
  RowsCourse course = run(stop);
  course.u = point_values(data_, *system_, course.u);
  return course;
}

RowsCourse MeshSession::solve_adjoint(const std::vector<double>& g, const RowsSession::Stop& stop) {
  const auto device = use_device_of(*backend_);
  prepare_solver();
  if (g.size() != system_->row.size())
    throw InputError("the derivative has " + std::to_string(g.size()) + " values; give one for each point of the mesh");
  std::vector<double> b(system_->point.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = g[static_cast<std::size_t>(system_->point[i])];
  put_rows(b, model_->rows(), solver_->A().scale(), solver_->rhs());
  solver_->solution().backend().fill(solver_->solution(), 0);
  RowsCourse course = run(stop);
  std::vector<double> lambda(system_->row.size(), 0);
  for (std::size_t i = 0; i < b.size(); ++i) lambda[static_cast<std::size_t>(system_->point[i])] = course.u[i];
  course.u = std::move(lambda);
  return course;
}

}  // namespace poisson
