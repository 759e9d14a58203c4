#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/device/monitor.hpp"
#include "grids/operators/operator.hpp"
#include "grids/results/profile.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/extrapolation.hpp"
#include "solver/fallbacks/fallback_chain.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

class FloatingSubdomains;
class DataProjection;
class FastDiagonalization;
class ConstrainedNodes;
class Multigrid;

std::string_view name_of(Verdict verdict);

/// A solve has converged when the estimated error of u is at most so many times the tolerance, too.
inline constexpr double promised_error = 1e3;

/// How a solve ended.
struct Result {
  Verdict verdict = Verdict::running;  ///< running: the iteration limit came first
  int iterations = 0;
  double initial = 0;              ///< ‖b − Au₀‖, before full multigrid
  double reference = 0;            ///< max(‖b‖, ‖b − A·data‖), data: what stands in u beside the unknowns
  double final = 0;                ///< ‖b − Au‖ of the solution
  std::vector<double> history;     ///< relative residuals, that of the iteration's start first
  double estimated_error = 0;      ///< of u against the solution of A u = b, relative, in L2
  double rounding_floor = 0;       ///< relative residual below which rounding hides progress
  double rounding_limit = 4;       ///< what stops at so many of them was stopped by rounding
  double projected = 0;            ///< 1ᵀb taken off the data of a singular problem, in the units of the scaled b
  double extrapolated = 0;         ///< 1ᵀ of what extrapolation added to b, in the same units
  bool start_given_up = false;     ///< full multigrid diverged: the iteration began at zero instead
  std::vector<std::string> steps;  ///< a line for each fallback: why, which, its predicted cost, whether it started
  std::string refused;             ///< that of the first fallback that was not started; empty: none was refused

  bool converged() const { return verdict == Verdict::converged; }
  double relative() const { return reference > 0 ? final / reference : 0; }
  /// Whether rounding ended it.
  bool at_rounding_floor() const;
};

/// What the estimate of the error goes by.
struct Traits {
  /// The faces whose Dirichlet data stand in the halo of the solution.
  std::array<std::array<bool, 2>, 3> given_in_halo{};
  double error_per_residual = 1;  ///< a bound of ‖e‖/‖u‖ over the relative residual; 1: none is known
  /// Makes a preconditioner that shows errors which sweeps over points and conjugate gradients around the diagonal do
  /// not see: a factorization where that is cheap, else multigrid. Null where there is none.
  std::function<std::unique_ptr<Preconditioner>()> judge;
  /// What is left over of all flows, relative to them (balance(), throughput()); overwrites the last field. Empty where
  /// κ has no wide range.
  std::function<double(const Operator& A, const Field& u, const Field& b, Field& work)> imbalance;
  /// Full multigrid corrects the initial solution: coarse levels do not store the data of faces.
  bool starts_from_residual = false;
  bool uneven = false;   ///< κ or σ varies, so that errors may be small in D⁻¹A and not in energy
  bool cancels = false;  ///< entries of either sign, on flat cells next to zero in sum: elements
  std::shared_ptr<const FloatingSubdomains>
      floating_subdomains;                           ///< where κ has a range of which coarse levels know only roughly
  std::shared_ptr<ConstrainedNodes> constrained;     ///< unknowns whose values are known, if any
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
  /// on. Where an iteration fails it climbs the `chain`. `own`: the preconditioner of options that ask for a direct
  /// one, or for Jacobi's method.
  Solver(std::shared_ptr<const Operator> A, Hierarchy hierarchy, const Options& options,
         std::unique_ptr<Extrapolation> extrapolation = nullptr, FallbackChain chain = {}, const Traits& problem = {},
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

  /// Hears a line before the work of each fallback begins, and one of each that is not started (Result::steps).
  void on_fallback(std::function<void(const std::string&)> listener) { announce_ = std::move(listener); }

  const Options& options() const { return options_; }
  const Operator& A() const { return *A_; }
  int levels() const;
  /// Kernels that an iteration launches, once a solve is prepared; 0 where nothing counts them.
  std::size_t kernels_per_iteration() const;
  /// A field of the solution's layout and precision that is free between solves.
  Field& spare() { return best_ ? best_ : preconditioner_->rhs(); }

 private:
  // From where a solve starts: from nothing, from the data beside the unknowns with zero in these, or from a guess,
  // whose own residual is not what residuals are relative to.
  enum class Start : std::uint8_t { nothing, data, guess };
  Start start_for(bool given_guess);
  void start_and_iterate(Start from, Monitor& monitor);
  void start(Start from, Monitor& monitor);
  const Field* residual_to_start_from() {
    return !problem_.starts_from_residual ? nullptr : options_.krylov == Krylov::cg ? &r_ : &preconditioner_->rhs();
  }
  bool solves_at_once(bool given_guess) const;
  void solve_at_once(Monitor& monitor);
  double take_direct_steps(Monitor& monitor);
  double error_by_residual(const MonitorState& state) const;
  double error_by_step(const Field& u, Preconditioner& preconditioner);
  bool rounding_may_hide(double error) const;
  double error_by_next_step(double last, double size);
  double size_of(const Field& u);
  double unseen_error(const MonitorState& state);
  void take_residual(const Scalar& scale, Scalar& norm);
  void begin_again(Monitor& monitor);
  void iterate(Monitor& monitor, int limit);
  void refine(Monitor& monitor, int limit);
  void conjugate_gradients(Monitor& monitor, int limit);
  void next_direction(Preconditioner& preconditioner);
  void restart_conjugation();
  void resume(Monitor& monitor);
  bool start_next_fallback(Monitor& monitor, Result& result);
  Preconditioner* make_fallback(std::size_t at, const Monitor& monitor, Result& result);
  void begin_from_best(const MonitorState& state);
  void withdraw(Monitor& monitor);
  double true_norm();
  void resume_abandoned(Monitor& monitor);
  void restore_best(const MonitorState& state);
  bool takes_best(const MonitorState& state, Result& result);
  Preconditioner* stepping();
  void finish(Monitor& monitor, Result& result);
  void solve_on(Preconditioner& preconditioner, Monitor& monitor);
  double extrapolate(Monitor& monitor);
  void verify(Monitor& monitor);
  double contraction(const Monitor& monitor) const;
  std::optional<double> energy();
  double estimated_error(const Monitor& monitor);
  double seen_error(const Monitor& monitor);
  double error_by_last_step(const Monitor& monitor, double size, double rho);
  const Field& last_correction() const;

  std::shared_ptr<const Operator> A_;
  Backend& backend_;
  Options options_;
  std::unique_ptr<Preconditioner> preconditioner_;
  Multigrid* multigrid_ = nullptr;         // the preconditioner, where it is one
  FastDiagonalization* direct_ = nullptr;  // the same
  std::unique_ptr<Extrapolation> extrapolation_;
  FallbackChain chain_;
  Traits problem_;
  std::unique_ptr<Preconditioner> judge_;                   // of errors that the method's own residuals hide, once made
  std::vector<std::unique_ptr<Preconditioner>> fallbacks_;  // null: not made yet
  std::function<void(const std::string&)> announce_;
  std::size_t fallback_ = 0, since_ = 0;  // how far up, and from which iteration on
  Preconditioner* active_ = nullptr;      // the fallback that is stood on, if any
  Field u_, b_, best_;                    // best_: where iterates are taken back, or began
  bool best_stored_ = false;              // best_ is an iterate, though no residual has risen
  Field r_, p_, q_;                       // conjugate gradients
  Scalar norm_, scale_, inverse_, applied_, alpha_, beta_, pq_, work_, one_, zero_, raw_norm_, data_norm_,
      initial_norm_, guess_norm_, projected_;
  double count_;
  double guess_size_ = 0;  // of a guess whose own residual is what residuals are relative to
  std::array<std::unique_ptr<Recording>, 4> recordings_;  // by Start, and the one that resumes
};

/// Discretizes nothing anew: the operators and levels of a discretization, for options as given. Where there is a
/// profile, it sees every verb of the solver, and must outlive it.
std::unique_ptr<Solver> make_solver(const Discretization& discretization, const Options& options,
                                    Profile* profile = nullptr);

}  // namespace poisson
