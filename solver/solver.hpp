#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grids/operators/operator.hpp"
#include "grids/operators/relaxation.hpp"
#include "solver/equation.hpp"
#include "solver/error_estimate.hpp"
#include "solver/fallbacks/fallback_sequence.hpp"
#include "solver/iterations/iteration.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"
#include "solver/result.hpp"
#include "solver/traits.hpp"

namespace poisson {

class DirectIteration;
class Extrapolation;
class FallbackIteration;
class FastDiagonalization;
class Model;
class Multigrid;
class StabilizedIteration;

/// Contains what a solver consists of. make_parts makes it from a Model.
struct SolverParts {
  SolverParts();
  SolverParts(SolverParts&&) noexcept;
  ~SolverParts();

  std::shared_ptr<const Operator> A;    ///< operator of the solution, in fp64 except for SolvePrecision::single
  Hierarchy hierarchy;                  ///< in the precision of corrections; only the finest operator without multigrid
  Options options;                      ///< resolved
  std::vector<Relaxation> relaxations;  ///< of the planned levels
  Traits traits;
  FallbackChain chain;                           ///< for failed iterations
  std::unique_ptr<Preconditioner> sweeps;        ///< of Jacobi's method, or made by the model; may be null
  std::unique_ptr<FastDiagonalization> direct;   ///< direct solver or preconditioner, or null
  std::unique_ptr<Extrapolation> extrapolation;  ///< adds a solve of the extrapolated equation; may be null
  std::function<SolverParts()> remake;           ///< makes them again from the present data of the model
};

/// Solves A u = b on one hierarchy of levels, repeatedly with new right-hand sides.
class Solver {
 public:
  /// Describes the state that a listener receives at the start and after every iteration.
  struct Progress {
    int iteration;
    double relative_residual;
    double rounding_floor;  ///< see Result
    bool limited = false;   ///< rounding ended a stage above its tolerance
  };
  /// Returns false to stop the solve.
  using Listener = std::function<bool(const Progress&)>;

  /// Divides a solve into stages, each with a tolerance. Direct solutions and fixed numbers of iterations have none.
  struct Stages {
    double first = 0;  ///< tolerance of the first stage
    /// Is called when a stage has reached its tolerance, and returns the tolerance of the next one, or 0 if u is
    /// accurate enough. A later stage that does not reach a tolerance below Options::tolerance is no failure. If
    /// rounding ends a stage earlier, `next` is called for that and a few more iterates, and only 0 makes the solve a
    /// success.
    std::function<double(const Progress&)> next;
  };

  explicit Solver(SolverParts parts);
  ~Solver();

  /// Returns the solution: before solve, the initial guess with Dirichlet data in their nodes.
  Field& solution() { return e_.u; }
  /// Returns the right-hand side. Set it before every solve: solve removes the incompatible part if A is singular, and
  /// adds the correction if there is an extrapolation.
  Field& rhs() { return e_.b; }
  /// Does the work of a first solve that does not depend on data: a device records its work and loads its kernels. Data
  /// may change afterwards. Optional: solve calls it if needed.
  void prepare(bool given_guess);
  /// Solves A u = b. `given_guess`: start from the unknowns of solution() instead of from full multigrid. Without a
  /// guess, unknowns that an earlier solve left count as zero.
  Result solve(bool given_guess, const Listener& listener = {});

  /// Refills operators and levels from the present data of the model, for example after GridModel::update. The fields
  /// of the solution, of the right-hand side and of levels of unchanged size keep their memory, and a device updates
  /// its recorded work in place at the next solve. Fill the right-hand side again, because its scale may differ.
  /// Returns whether automatic choices differ from the former ones: the options or the relaxations of levels. If this
  /// function throws, the solver has no levels until an update succeeds. Collective.
  bool update();

  /// Sets the stages of later solves; empty: one stage with Options::tolerance. `next` may overwrite spare().
  void set_stages(Stages stages) { stages_ = std::move(stages); }
  const Stages& stages() const { return stages_; }
  /// Sets a listener that receives one line before each fallback starts and one for each refused fallback
  /// (Result::steps).
  void on_fallback(std::function<void(const std::string&)> listener) { fallbacks_.on_step(std::move(listener)); }
  /// Sets whether solves check the balance of flows where κ has a wide range, as they do by default. They must not if
  /// rhs() is not that of the model.
  void check_flows(bool checks) { checks_flows_ = checks; }
  /// Keeps a model alive as long as the solver.
  void own(std::unique_ptr<const Model> model);

  const Options& options() const { return e_.options; }
  const Operator& A() const { return *e_.A; }
  int levels() const;
  /// Returns the number of kernels that an iteration launches after a solve is prepared, or 0 if they are not counted.
  std::size_t kernels_per_iteration() const;
  /// Returns a field of the solution's layout and precision that is free between solves.
  Field& spare() { return e_.best ? e_.best : preconditioner_->rhs(); }

 private:
  // Selects the start of a solve. `nothing`: zero, or full multigrid. `data`: zero unknowns and the stored face data.
  // `guess`: given unknowns, whose residual does not enter the reference norm.
  enum class Start : std::uint8_t { nothing, data, guess };
  void make_preconditioner(SolverParts& parts);
  void make_iteration(SolverParts& parts);
  void release_levels();
  void require_levels() const;
  bool solves_at_once(bool given_guess) const;
  Start start_for(bool given_guess);
  void measure_data();
  void start(Start from, Monitor& monitor);
  void start_and_iterate(Start from, Monitor& monitor);
  void begin_solve();
  void run(Start from, Monitor& monitor, Result& result);
  void resume(Monitor& monitor);
  void verify(Monitor& monitor);
  void begin_again(Monitor& monitor);
  double extrapolate(Monitor& monitor);
  bool has_stages() const;
  Progress progress(const MonitorState& state, bool limited) const;
  bool pass_stages(Monitor& monitor);
  bool settle_at_limit(Monitor& monitor);
  bool takes_best(const MonitorState& state, Result& result);
  void report(Start from, bool at_once, Monitor& monitor, Result& result);
  // finish.cpp
  struct Ending;
  void finish(Monitor& monitor, Result& result);
  void improve(Ending& end);
  bool proceed(Ending& end, int& resumed);
  double promised(double estimate) const;
  bool inaccurate(const MonitorState& state, const Result& result) const;
  bool near_limit(const Result& result) const;
  double imbalance(const MonitorState& state);
  bool at_floor(Monitor& monitor, const Result& result);
  bool start_next_fallback(Monitor& monitor, Result& result);
  void begin_from_best(const MonitorState& state);
  void withdraw(Monitor& monitor);
  void resume_abandoned(Monitor& monitor);

  std::unique_ptr<const Model> model_;  // null if the caller owns it
  std::function<SolverParts()> remake_;
  std::vector<Relaxation> relaxations_;
  Equation e_;
  ErrorEstimate error_;
  std::unique_ptr<Preconditioner> preconditioner_;
  Multigrid* multigrid_ = nullptr;  // preconditioner_, or null
  std::unique_ptr<Iteration> iteration_;
  DirectIteration* direct_ = nullptr;          // iteration_, or null
  StabilizedIteration* stabilized_ = nullptr;  // iteration_, or null
  FallbackSequence fallbacks_;
  std::unique_ptr<FallbackIteration> fallback_;  // in use, or null
  Phase phase_;
  std::unique_ptr<Extrapolation> extrapolation_;
  bool checks_flows_ = true;
  bool has_solved_ = false;
  Stages stages_;
  Scalar raw_norm_, data_norm_, initial_norm_, guess_norm_, projected_;
  std::array<std::unique_ptr<Recording>, 4> recordings_;  // one per Start, and one to resume
};

}  // namespace poisson
