#pragma once

#include <cstddef>
#include <memory>

#include "grids/operators/operator.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/results/profile.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/extrapolation.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"
#include "solver/traits.hpp"

namespace poisson {

/// Is what a solver needs of any discretized problem A u = b on one backend. Each kind of problem implements it: a
/// discretization on a grid (GridModel), or a matrix from a file (MatrixModel). If several processes share the problem,
/// all calls are collective.
class Model {
 public:
  virtual ~Model() = default;

  virtual Backend& backend() const = 0;
  virtual const Space& space() const = 0;
  /// Returns the plan for these options without bytes: every choice made, and the levels. Throws InputError if the
  /// problem does not support the options.
  virtual Plan plan(const Options& options) const = 0;
  /// Rehearses a plan of this model and sets its bytes.
  virtual void count_bytes(Plan& plan) const = 0;
  /// Returns the bytes of the plan that the model has already allocated on this process.
  virtual std::size_t bytes() const { return 0; }
  /// Returns the properties of the problem for resolved options. Their functions refer to the problem's data.
  virtual Traits traits(const Options& options) const = 0;

  /// Returns the operators and transfers of the planned levels, in the precision of corrections. Without multigrid they
  /// are the finest operator alone.
  virtual Hierarchy levels(const Plan& plan) const = 0;
  /// Returns the finest operator in another precision than that of the levels. Call it after levels().
  virtual std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const = 0;
  /// Returns whether the levels belong to another matrix, which preconditions that of finest().
  virtual bool has_own_finest() const { return false; }
  /// Returns a direct solver or preconditioner for A, as the options request. Returns null if a library or memory is
  /// missing on a process, unless `requested`; then it throws.
  virtual std::unique_ptr<FastDiagonalization> direct(const Operator& A, const Options& options, bool requested,
                                                      Profile* profile) const;
  /// Returns the preconditioner of refinement that resolved options with another Amg than `own` select, else null.
  virtual std::unique_ptr<Preconditioner> preconditioner(const Options&) const { return nullptr; }
  /// Returns sweeps of Jacobi's method that need fewer passes than single sweeps, or null.
  virtual std::unique_ptr<SweepPass> sweep_pass(Precision) const { return nullptr; }
  /// Returns an extrapolation of the discretization error, or null.
  virtual std::unique_ptr<Extrapolation> extrapolation(Precision) const { return nullptr; }

  /// Fills the right-hand side b, and u with the data that it stores and the initial guess. Returns Σ|b|, unscaled.
  virtual double fill(Field& b, Field& u) const = 0;

  /// Selects the data of a solve: those of the problem, or a right-hand side with zero data elsewhere.
  enum class Data { of_problem, none };
  /// Solves A u = b with a solver of this model, and finds values that belong to the data, such as those of floating
  /// bodies. rhs() is then the right-hand side of the solution.
  virtual Result solve(Solver& solver, bool given_guess, const Solver::Listener& listener, Data) {
    return solver.solve(given_guess, listener);
  }
};

/// Makes a solver for a model, which must outlive it. If given, `profile` sees every verb of the solver and must
/// outlive it. `counted` is the model's plan for these options with its bytes; without it, the plan is made here.
std::unique_ptr<Solver> make_solver(const Model& model, const Options& options, Profile* profile = nullptr,
                                    const Plan* counted = nullptr);

}  // namespace poisson
