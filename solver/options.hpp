#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backends/memory/precision.hpp"
#include "grids/levels/galerkin_relaxation.hpp"
#include "grids/operators/relaxation.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

enum class Method { automatic, jacobi, cg, multigrid, direct };
/// automatic: V-cycles. In the plane, if κ has many large jumps, resolved options still say `automatic`: multigrid
/// then makes W-cycles if it finds strong clusters.
enum class Cycle { v, w, f, automatic };
/// Selects the accelerator of multigrid. automatic: conjugate gradients if κ jumps.
/// bicgstab is chosen for unsymmetric compact rows alone.
enum class Krylov { automatic, none, cg, bicgstab };
/// Selects the preconditioner of conjugate gradients. An explicit choice also selects conjugate gradients as the
/// method.
enum class PreconditionerChoice { automatic, diagonal, multigrid, direct };
/// Selects the equation of coarse levels: the rediscretized problem, or Pᵀ A P with a prolongation P computed from A.
enum class CoarseOperator { automatic, rediscretized, galerkin };
/// Decides whether a more robust method on the host continues when multigrid fails or is predicted to fail
/// (fallback_chain.hpp). automatic: up to 60 s of predicted time; always: without a time limit.
enum class Fallback { automatic, always, never };
/// double: everything is in fp64. mixed: solution and residual are in fp64, corrections in fp32. single: everything is
/// in fp32.
enum class SolvePrecision { double_, mixed, single };

/// Selects the algebraic multigrid of compact rows: that of the project, or BoomerAMG of hypre.
enum class Amg { own, hypre };

struct SmootherKind;

/// Describes how to smooth on each level. Unset members get the value that suits the method (see Options::choose).
struct SmootherOptions {
  const SmootherKind* kind = nullptr;                  ///< null: automatic
  std::map<std::string, double, std::less<>> given{};  ///< parameters by name
  std::optional<int> pre{};                            ///< sweeps before the coarse correction
  std::optional<int> post{};                           ///< sweeps after it
  /// Selects the unknowns that a level may relax together. If unset, levels relax points; if `kind` is null as well,
  /// each level uses the suitable extent.
  std::optional<RelaxationChoice> extent{};

  std::optional<double> value(std::string_view parameter) const;
  bool lines_or_planes() const { return extent == RelaxationChoice::lines || extent == RelaxationChoice::planes; }
  /// Returns whether every level relaxes points: on request, or by default if points suffice.
  bool takes_points(bool points_suffice) const { return !lines_or_planes() && (points_suffice || kind || extent); }
};

struct Options {
  /// automatic: a direct solution if the problem has one that is predicted to be faster, else multigrid.
  Method method = Method::automatic;
  double tolerance = 1e-8;  ///< for ‖b − Au‖ / max(‖b‖, ‖b − Au₀‖), ‖r‖² = rᵀD⁻¹r; 0 runs max_iterations exactly
  int max_iterations = 100;
  Cycle cycle = Cycle::automatic;
  bool full_multigrid = true;
  bool extrapolate = false;  ///< solve, correct b by τ-extrapolation (extrapolation.hpp), and solve again
  SmootherOptions smoother{};
  Krylov krylov = Krylov::automatic;
  PreconditionerChoice preconditioner = PreconditionerChoice::automatic;
  CoarseOperator coarse_operator = CoarseOperator::automatic;
  GalerkinRelaxation on_galerkin{};  ///< set by resolve_options
  SolvePrecision precision = SolvePrecision::mixed;
  Fallback fallback = Fallback::automatic;
  Amg amg = Amg::own;
  bool kept = false;  ///< solves many times: `automatic` leaves out what is done once, such as loading libraries

  /// Returns the options with every automatic choice made. `coefficient_jump` bounds the ratio of the coefficient in
  /// neighbouring cells. `points_suffice` states whether point relaxation suffices on the finest level. `mild` marks
  /// jumps that rediscretized levels can represent. Throws InputError if Galerkin operators and planes are both
  /// requested.
  Options choose(double coefficient_jump, bool points_suffice = true, bool mild = false, int dimension = 3) const;
};

/// Returns whether residuals are computed by a recurrence, whose result needs verification.
constexpr bool has_recurrence(const Options& options) {
  return options.krylov == Krylov::cg || options.krylov == Krylov::bicgstab;
}

}  // namespace poisson
