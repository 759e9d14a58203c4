#include "solver/general_rows_model.hpp"

#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Single precision represents diagonals with this ratio.
constexpr double most_spread = 1e12;

std::optional<RowSystem> symmetric_system(const GeneralRows& rows) {
  if (rows.is_symmetric()) return {};
  RowSystem system = rows.system;
  system.A = rows.symmetric;
  return system;
}

}  // namespace

GeneralRowsModel::GeneralRowsModel(Backend& backend, const GeneralRows& rows, bool keeps_levels)
    : rows_(rows),
      preconditioned_(symmetric_system(rows)),
      inner_(backend, preconditioned_ ? *preconditioned_ : rows.system, keeps_levels) {}

Plan GeneralRowsModel::plan(const Options& asked) const {
  Options options = asked;
  if (rows_.spread > most_spread && options.precision == SolvePrecision::mixed)
    options.precision = SolvePrecision::double_;
  if (!rows_.is_symmetric()) {
    if (options.krylov == Krylov::cg || options.krylov == Krylov::none)
      throw InputError("solver.krylov: the matrix is unsymmetric, which needs BiCGStab; write krylov: auto");
    if (options.precision == SolvePrecision::single)
      throw InputError("solver.precision: single needs a symmetric matrix; write precision: mixed");
  }
  Plan plan = inner_.plan(options);
  if (!rows_.is_symmetric()) plan.options.krylov = Krylov::bicgstab;
  return plan;
}

std::unique_ptr<Operator> GeneralRowsModel::finest(const Plan& plan, Precision precision) const {
  if (rows_.is_symmetric()) return inner_.finest(plan, precision);
  return inner_.operator_of(rows_.system.A, precision);
}

std::unique_ptr<Solver> make_general_solver(const GeneralRowsModel& model, const Options& options, Profile* profile,
                                            const Plan* counted) {
  try {
    return make_solver(model, options, profile, counted);
  } catch (const RunError& error) {
    if (error.remedy != Remedy::positive_definite || model.is_symmetric() || options.method == Method::cg) throw;
  }
  Options diagonal = options;
  diagonal.method = Method::cg;
  diagonal.preconditioner = PreconditionerChoice::automatic;
  return make_solver(model, diagonal, profile);
}

}  // namespace poisson
