#include <array>
#include <cstdio>

#include "solver/solver.hpp"

namespace poisson {

bool Result::at_rounding_floor() const {
  return rounding_floor > 0 && final <= most_floors * rounding_floor * reference;
}

std::string Result::beyond_rounding(const Options& options) const {
  std::array<char, 32> floor{};
  std::snprintf(floor.data(), floor.size(), "%.1e", rounding_floor);
  return std::string(
             "the rounding floor came before the tolerance: in this precision rounding of u leaves a relative "
             "residual of about ") +
         floor.data() + ", loosen the tolerance" +
         (options.precision == SolvePrecision::single ? " or use precision: mixed" : "");
}

std::string Result::reason(const Options& options) const {
  switch (verdict) {
    case Verdict::converged:
      return "converged";
    case Verdict::not_finite:
      return "the residual is not a finite number (overflow, or data near the limits of the number range): check the "
             "scales of the data, or use precision: double";
    case Verdict::diverged:
      if (options.method != Method::multigrid)
        return "the iteration diverged (the residual grew by 10⁶): use method: multigrid, where the matrix allows it";
      return std::string("the iteration diverged (the residual grew by 10⁶): use ") +
             (options.krylov == Krylov::cg ? "" : "solver.krylov: cg, ") +
             "more smoothing sweeps or a smaller relaxation";
    case Verdict::stagnated:
      if (at_rounding_floor()) return beyond_rounding(options);
      if (!steps.empty())
        return "the residual stagnated, and nothing stronger was left to go on with: check the scales of the data (a "
               "coefficient, reaction or alpha that is next to nothing beside another)";
      return options.method != Method::multigrid
                 ? "the residual stagnated: use precision: double or, where the matrix allows it, method: multigrid"
             : options.krylov == Krylov::cg ? "the residual stagnated: use more smoothing sweeps or precision: double"
                                            : "the residual stagnated: use solver.krylov: cg or more smoothing sweeps";
    case Verdict::inaccurate:
      return "the residual is below the tolerance, the estimated error of u not below 1000 times the tolerance: u is "
             "as "
             "good as estimated_error says";
    case Verdict::stopped:
      return "stopped on request";
    case Verdict::running:
      break;
  }
  if (options.tolerance == 0) return "ran the given number of iterations";
  if (at_rounding_floor()) return beyond_rounding(options);
  const std::string limit = "the iteration limit came before the tolerance: raise solver.max_iterations";
  if (options.method != Method::multigrid)
    return limit + "; method: multigrid, where the matrix allows it, takes fewer";
  return options.krylov == Krylov::cg ? limit : limit + " or use krylov: cg";
}

}  // namespace poisson
