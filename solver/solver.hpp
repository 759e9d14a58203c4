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
#include "solver/extrapolation.hpp"
#include "solver/fallbacks/fallback_chain.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"
#include "solver/traits.hpp"

namespace poisson {

class FastDiagonalization;
class Model;
class Multigrid;

std::string_view name_of(Verdict verdict);

/// A solve has converged only if the estimated error of u is at most this multiple of the tolerance.
inline constexpr double promised_error = 1e3;

/// Reports how a solve ended.
struct Result {
  Verdict verdict = Verdict::running;  ///< running: the iteration limit came first
  int iterations = 0;
  double initial = 0;           ///< ‖b − Au₀‖ before full multigrid
  double reference = 0;         ///< max(‖b‖, ‖b − A·data‖); data: u with zero unknowns
  double final = 0;             ///< ‖b − Au‖
  std::vector<double> history;  ///< relative residuals, start first
  double estimated_error = 0;   ///< ‖u − A⁻¹b‖/‖u‖ in L2
  double rounding_floor = 0;    ///< rounding hides progress below this relative residual
  double rounding_limit = 4;    ///< a final residual below this multiple of the floor is limited by rounding
  double projected = 0;  ///< 1ᵀb that was removed from the data of a singular problem, in the units of the scaled b
  double extrapolated = 0;         ///< 1ᵀ(b that extrapolation added), in the same units
  bool start_given_up = false;     ///< full multigrid diverged, and the iteration began at zero instead
  std::vector<std::string> steps;  ///< one line per fallback: reason, name, predicted cost, and whether it started
  std::string refused;             ///< line of the first fallback that was refused, else empty

  bool converged() const { return verdict == Verdict::converged; }
  double relative() const { return reference > 0 ? final / reference : 0; }
  /// Returns whether rounding limits the final residual.
  bool at_rounding_floor() const;
};

/// Solves A u = b on one hierarchy of levels, repeatedly with new right-hand sides.
class Solver {
 public:
  /// Describes the state that a listener receives at the start and after every iteration.
  struct Progress {
    int iteration;
    double relative_residual;
    double rounding_floor;  ///< see Result
  };
  /// Returns false to stop the solve.
  using Listener = std::function<bool(const Progress&)>;

  /// `A` is the operator of the solution, in fp64 except for SolvePrecision::single. `hierarchy` has the precision of
  /// the corrections; without multigrid it contains only the finest operator. `options` must be resolved. With an
  /// `extrapolation`, solve also solves the extrapolated equation and appends its residuals to the history. `chain` is
  /// the fallback chain for failed iterations. `own` is the preconditioner if options request a direct one or Jacobi's
  /// method.
  Solver(std::shared_ptr<const Operator> A, Hierarchy hierarchy, const Options& options,
         std::unique_ptr<Extrapolation> extrapolation = nullptr, FallbackChain chain = {}, const Traits& problem = {},
         std::unique_ptr<Preconditioner> own = nullptr);
  ~Solver();

  /// Returns the solution: before solve, the initial guess with Dirichlet data in their nodes.
  Field& solution() { return u_; }
  /// Returns the right-hand side. Set it before every solve: solve removes the incompatible part if A is singular, and
  /// adds the correction if there is an extrapolation.
  Field& rhs() { return b_; }
  /// Does the work of a first solve that does not depend on data: a device records its work and loads its kernels. Data
  /// may change afterwards. Optional: solve calls it if needed.
  void prepare(bool given_guess);
  /// Solves A u = b. `given_guess`: start from the unknowns of solution() instead of from full multigrid.
  Result solve(bool given_guess, const Listener& listener = {});

  /// Sets a listener that receives one line before each fallback starts and one for each refused fallback
  /// (Result::steps).
  void on_fallback(std::function<void(const std::string&)> listener) { announce_ = std::move(listener); }

  /// Keeps a model alive as long as the solver.
  void own(std::unique_ptr<const Model> model);

  const Options& options() const { return options_; }
  const Operator& A() const { return *A_; }
  int levels() const;
  /// Returns the number of kernels that an iteration launches after a solve is prepared, or 0 if they are not counted.
  std::size_t kernels_per_iteration() const;
  /// Returns a field of the solution's layout and precision that is free between solves.
  Field& spare() { return best_ ? best_ : preconditioner_->rhs(); }

 private:
  // Selects the start of a solve. `nothing`: zero, or full multigrid. `data`: zero unknowns and the stored face data.
  // `guess`: given unknowns, whose residual does not enter the reference norm.
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

  std::unique_ptr<const Model> model_;  // null if the caller owns it
  std::shared_ptr<const Operator> A_;
  Backend& backend_;
  Options options_;
  std::unique_ptr<Preconditioner> preconditioner_;
  Multigrid* multigrid_ = nullptr;         // preconditioner_, or null
  FastDiagonalization* direct_ = nullptr;  // preconditioner_, or null
  std::unique_ptr<Extrapolation> extrapolation_;
  FallbackChain chain_;
  Traits problem_;
  std::unique_ptr<Preconditioner> judge_;                   // finds errors that residuals hide; made on demand
  std::vector<std::unique_ptr<Preconditioner>> fallbacks_;  // null: not made
  std::function<void(const std::string&)> announce_;
  std::size_t fallback_ = 0, since_ = 0;  // next fallback; where the active one began in the history
  Preconditioner* active_ = nullptr;      // fallback in use
  Field u_, b_, best_;                    // best_: iterate to restore
  bool best_stored_ = false;              // best_ is valid even if no residual has risen
  Field r_, p_, q_;                       // for conjugate gradients
  Scalar norm_, scale_, inverse_, applied_, alpha_, beta_, pq_, work_, one_, zero_, raw_norm_, data_norm_,
      initial_norm_, guess_norm_, projected_;
  double count_;
  double guess_size_ = 0;  // ‖guess‖ if residuals are relative to the residual of the guess
  std::array<std::unique_ptr<Recording>, 4> recordings_;  // one per Start, and one to resume
};

}  // namespace poisson
