#include "solver/options.hpp"

#include <algorithm>
#include <string>

#include "backends/memory/error.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

// Returns the ratio of κ in neighbouring cells from which Galerkin operators repay their set-up cost and more expensive
// cycles (docs/design/coarse-operators.md). In two dimensions a cycle costs hardly more.
constexpr double galerkin_jump(int dimension) {
  return dimension == 2 ? 1e2 : 1e3;
}

}  // namespace

std::optional<double> SmootherOptions::value(std::string_view parameter) const {
  const auto found = given.find(parameter);
  return found == given.end() ? std::nullopt : std::optional(found->second);
}

Options Options::choose(double coefficient_jump, bool points_suffice, bool mild, int dimension) const {
  Options o = *this;
  if (o.method == Method::automatic) o.method = Method::multigrid;
  if (o.cycle == Cycle::automatic) o.cycle = Cycle::v;
  if (o.preconditioner == PreconditionerChoice::multigrid) {
    o.method = Method::multigrid;
    o.krylov = Krylov::cg;
  } else if (o.preconditioner != PreconditionerChoice::automatic) {
    o.method = Method::cg;
  } else {
    o.preconditioner = o.method == Method::multigrid ? PreconditionerChoice::multigrid : PreconditionerChoice::diagonal;
  }
  if (o.krylov == Krylov::automatic) o.krylov = coefficient_jump >= steep_jump ? Krylov::cg : Krylov::none;
  SmootherOptions& s = o.smoother;
  // Line and plane relaxation, requested or needed, has priority over Galerkin operators, unless resolve_options found
  // that the couplings require them.
  const bool lines = s.lines_or_planes();
  if (o.method != Method::multigrid)
    o.coarse_operator = CoarseOperator::rediscretized;
  else if (o.coarse_operator == CoarseOperator::automatic)
    o.coarse_operator = coefficient_jump >= galerkin_jump(dimension) && !mild && s.takes_points(points_suffice)
                            ? CoarseOperator::galerkin
                            : CoarseOperator::rediscretized;
  const bool galerkin = o.coarse_operator == CoarseOperator::galerkin;
  if (galerkin && s.extent == RelaxationChoice::planes)
    throw InputError(
        "Galerkin coarse operators support point and line smoothers only (planes were requested): rediscretize the "
        "coarse levels, or smooth lines");
  if (o.method != Method::multigrid) {
    s.kind = &smoother_kind("jacobi");
    o.krylov = o.method == Method::cg ? Krylov::cg : Krylov::none;
    o.full_multigrid = false;
  }
  // Modes in a lower precision than the solution gain nothing, and Jacobi sweeps update the solution itself.
  const bool whole =
      o.method == Method::direct || o.method == Method::jacobi || o.preconditioner == PreconditionerChoice::direct;
  if (whole && o.precision == SolvePrecision::mixed) o.precision = SolvePrecision::double_;
  // Smoothing only after the coarse correction contracts as well as smoothing on both sides and reads less, but not
  // under a Krylov method or across jumps of the coefficient.
  const bool one_sided = o.krylov == Krylov::none && coefficient_jump < steep_jump;
  if (!s.extent) s.extent = s.kind || galerkin ? RelaxationChoice::points : RelaxationChoice::automatic;
  if (!s.kind) s.kind = &smoother_kind(one_sided || lines ? "chebyshev" : "red-black");
  if (!s.pre) s.pre = one_sided ? 0 : s.post.value_or(2);
  if (!s.post) s.post = !one_sided || *s.pre > 0 ? std::max(*s.pre, 1) : s.kind->sweeps_alone;
  return o;
}

}  // namespace poisson
