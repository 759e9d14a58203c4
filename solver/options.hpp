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
/// automatic: W-cycles in the plane where κ has many large jumps, otherwise V-cycles.
enum class Cycle { v, w, f, automatic };
/// What accelerates multigrid; automatic: conjugate gradients where κ jumps.
enum class Krylov { automatic, none, cg };
/// What conjugate gradients precondition with. One that is named makes the method conjugate gradients.
enum class PreconditionerChoice { automatic, diagonal, multigrid, direct };
/// What coarse levels solve: the problem discretized again, or Pᵀ A P with a prolongation made from A.
enum class CoarseOperator { automatic, rediscretized, galerkin };
/// Whether to go on with a stronger method on the host where multigrid fails or is predicted to fail (chain.hpp).
/// automatic: up to 60 s of predicted time; always: however long it takes.
enum class Fallback { automatic, always, never };
/// double: everything in fp64. mixed: solution and residual in fp64, corrections in fp32. single: everything in fp32.
enum class SolvePrecision { double_, mixed, single };

struct SmootherKind;

/// How to smooth on each level. Unset members take the value that suits the method (see Options::choose).
struct SmootherOptions {
  const SmootherKind* kind = nullptr;                  ///< smoothers/smoother.hpp; null: by the method
  std::map<std::string, double, std::less<>> given{};  ///< the kind's parameters, by name
  std::optional<int> pre{};                            ///< sweeps before the coarse correction
  std::optional<int> post{};                           ///< sweeps after it
  /// What a level may relax at once; unset: points, and where no kind is given what suits the level.
  std::optional<RelaxationChoice> extent{};

  std::optional<double> value(std::string_view parameter) const;
  bool lines_or_planes() const { return extent == RelaxationChoice::lines || extent == RelaxationChoice::planes; }
  /// Whether every level relaxes points: they are asked for, or nothing is and they would do.
  bool takes_points(bool points_suffice) const { return !lines_or_planes() && (points_suffice || kind || extent); }
};

struct Options {
  /// automatic: a direct solution where the problem has one that is predicted to be faster, else multigrid.
  Method method = Method::automatic;
  double tolerance = 1e-8;  ///< on ‖b − Au‖ / max(‖b‖, ‖b − Au₀‖), ‖r‖² = rᵀD⁻¹r; 0 runs max_iterations exactly
  int max_iterations = 100;
  Cycle cycle = Cycle::automatic;
  bool full_multigrid = true;
  bool extrapolate = false;  ///< solve, correct b by τ-extrapolation (extrapolation.hpp), and solve again
  SmootherOptions smoother{};
  Krylov krylov = Krylov::automatic;
  PreconditionerChoice preconditioner = PreconditionerChoice::automatic;
  CoarseOperator coarse_operator = CoarseOperator::automatic;
  GalerkinRelaxation on_galerkin{};  ///< what Galerkin levels relax; resolve_options chooses it
  SolvePrecision precision = SolvePrecision::mixed;
  Fallback fallback = Fallback::automatic;

  /// The options with every automatic choice made, for a coefficient whose neighbouring cells differ by at most the
  /// factor `coefficient_jump`, a finest level on which relaxing points would do or not, jumps that rediscretized
  /// levels bear (`mild`), and the problem's dimension. Throws InputError where Galerkin operators are asked for
  /// together with lines or planes.
  Options choose(double coefficient_jump, bool points_suffice = true, bool mild = false, int dimension = 3) const;
};

}  // namespace poisson
