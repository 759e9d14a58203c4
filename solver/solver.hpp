#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/monitor.hpp"
#include "grids/operators/operator.hpp"
#include "grids/results/profile.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/extrapolation.hpp"
#include "solver/ladder/ladder.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

class Conductors;
class DataProjection;
class FastDiagonalization;
class HeldNodes;
class Multigrid;

std::string_view name_of(Verdict verdict);

/// How a solve ended.
struct Result {
  Verdict verdict = Verdict::running;  ///< running: the iteration limit came first
  int iterations = 0;
  double initial = 0;              ///< ‖b − Au₀‖, before full multigrid
  double reference = 0;            ///< max(‖b‖, ‖b − Au₀‖)
  double final = 0;                ///< ‖b − Au‖ of the solution
  std::vector<double> history;     ///< relative residuals, that of the iteration's start first
  double estimated_error = 0;      ///< of u against the solution of A u = b, relative, in L2
  double rounding_floor = 0;       ///< relative residual below which rounding hides progress
  double most_floors = 4;          ///< what stops at so many of them was stopped by rounding
  double projected = 0;            ///< 1ᵀb taken off the data of a singular problem, in the units of the scaled b
  double extrapolated = 0;         ///< 1ᵀ of what extrapolation added to b, in the same units
  bool start_given_up = false;     ///< full multigrid diverged: the iteration began at zero instead
  std::vector<std::string> steps;  ///< what the iteration went on with where it failed or was predicted to

  bool converged() const { return verdict == Verdict::converged; }
  double relative() const { return reference > 0 ? final / reference : 0; }
  /// Whether rounding ended it.
  bool at_rounding_floor() const;
};

/// What the estimate of the error goes by.
struct Traits {
  /// The faces whose Dirichlet data stand in the halo of the solution.
  std::array<std::array<bool, 2>, 3> given_in_halo{};
  /// Full multigrid corrects the initial solution: coarse levels do not store the data of faces.
  bool starts_from_residual = false;
  bool uneven = false;   ///< κ or σ varies, so that errors may be small in D⁻¹A and not in energy
  bool cancels = false;  ///< entries of either sign, on flat cells next to zero in sum: elements
  std::shared_ptr<const Conductors> conductors;      ///< where κ has a range of which coarse levels know only roughly
  std::shared_ptr<HeldNodes> held;                   ///< unknowns whose values are known, if any
  std::function<bool()> homogeneous;                 ///< whether the data that stand in the solution are zero, now
  std::shared_ptr<const DataProjection> projection;  ///< in fewer passes than the operator's verbs; null: by these
};

/// Solves A u = b on one hierarchy of levels, again and again with new right-hand sides.
class Solver {
 public:
  /// What a listener hears: first of the start, then after every iteration.
  struct Progress {
    int iteration;
    double relative_residual;
    double rounding_floor;  ///< see Result
  };
  /// Returning false stops the solve.
  using Listener = std::function<bool(const Progress&)>;

  /// `A`: the operator of the solution, in fp64 but for SolvePrecision::single; `hierarchy`: in the precision of the
  /// corrections, its finest operator alone where the method is not multigrid. `options` resolved. With an
  /// `extrapolation` solve ends with the solution of the equation that it makes, in whose residuals the history goes
  /// on. Where an iteration fails it climbs the `ladder`. `own`: the preconditioner of options that ask for a direct
  /// one, or for Jacobi's method.
  Solver(std::shared_ptr<const Operator> A, Hierarchy hierarchy, const Options& options,
         std::unique_ptr<Extrapolation> extrapolation = nullptr, Ladder ladder = {}, const Traits& problem = {},
         std::unique_ptr<Preconditioner> own = nullptr);
  ~Solver();

  /// The solution: the initial guess before solve, with Dirichlet data in their nodes.
  Field& solution() { return u_; }
  /// The right-hand side. Where A is singular, solve takes the incompatible part off it, and with extrapolation it adds
  /// the correction: it is to be set before every solve.
  Field& rhs() { return b_; }
  /// What a first solve would do beside solving, done before: a device records its work and loads its kernels. Data may
  /// follow. Without it solve does so itself.
  void prepare(bool given_guess);
  /// `given_guess`: start from the solution's unknowns instead of from full multigrid.
  Result solve(bool given_guess, const Listener& listener = {});

  const Options& options() const { return options_; }
  const Operator& A() const { return *A_; }
  int levels() const;
  /// Kernels that an iteration launches, once a solve is prepared; 0 where nothing counts them.
  std::size_t kernels_per_iteration() const;
  /// A field of the solution's layout and precision that is free between solves.
  Field& spare() { return best_ ? best_ : preconditioner_->rhs(); }

 private:
  void start_and_iterate(bool given_guess, Monitor& monitor);
  void start(bool given_guess, Monitor& monitor);
  const Field* residual_to_start_from() {
    return !problem_.starts_from_residual ? nullptr : options_.krylov == Krylov::cg ? &r_ : &preconditioner_->rhs();
  }
  bool solves_at_once(bool given_guess) const;
  void solve_at_once(Monitor& monitor);
  void clear_unknowns();
  void take_residual(const Scalar& scale, Scalar& norm);
  void begin_again(Monitor& monitor);
  void iterate(Monitor& monitor, int limit);
  void refine(Monitor& monitor, int limit);
  void conjugate_gradients(Monitor& monitor, int limit);
  void next_direction(Preconditioner& preconditioner);
  void restart_conjugation();
  void resume(Monitor& monitor);
  bool climb(Monitor& monitor, Result& result);
  void press_on(Monitor& monitor);
  void restore_best(const MonitorState& state);
  void finish(Monitor& monitor, Result& result);
  void solve_on(Preconditioner& preconditioner, Monitor& monitor);
  double extrapolate(Monitor& monitor);
  void verify(Monitor& monitor);
  double contraction(const Monitor& monitor) const;
  std::optional<double> energy();
  double estimated_error(const Monitor& monitor);
  double error_by_last_step(const Monitor& monitor, double size, double rho);
  const Field& last_correction() const;

  std::shared_ptr<const Operator> A_;
  Backend& backend_;
  Options options_;
  std::unique_ptr<Preconditioner> preconditioner_;
  Multigrid* multigrid_ = nullptr;         // the preconditioner, where it is one
  FastDiagonalization* direct_ = nullptr;  // the same
  std::unique_ptr<Extrapolation> extrapolation_;
  Ladder ladder_;
  Traits problem_;
  std::vector<std::unique_ptr<Preconditioner>> rungs_;  // as many as have been made
  std::size_t rung_ = 0, since_ = 0;                    // how far up, and from which iteration on
  Preconditioner* active_ = nullptr;                    // the rung that is stood on, if any
  Field u_, b_, best_;                                  // best_: where iterates are taken back, or began
  Field r_, p_, q_;                                     // conjugate gradients
  Scalar norm_, scale_, inverse_, applied_, alpha_, beta_, pq_, work_, one_, zero_, raw_norm_, data_norm_,
      initial_norm_, projected_;
  double count_;
  std::array<std::unique_ptr<Recording>, 3> recordings_;  // from nothing, from a guess, resumed
};

/// Discretizes nothing anew: the operators and levels of a discretization, for options as given. Where there is a
/// profile, it sees every verb of the solver, and must outlive it.
std::unique_ptr<Solver> make_solver(const Discretization& discretization, const Options& options,
                                    Profile* profile = nullptr);

}  // namespace poisson
