#include "app/reasons.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

const char* words(Remedy remedy) {
  switch (remedy) {
    case Remedy::none:
      break;
    case Remedy::fewer_values:
      return "use fewer cells or precision: single";
    case Remedy::fewer_values_or_host:
      return "use fewer cells (--dry-run prints the required memory), precision: single, or backend.device: cpu";
    case Remedy::other_architecture:
      return "build for this device's architecture (-DCMAKE_CUDA_ARCHITECTURES), or use backend.device: cpu";
    case Remedy::other_driver:
      return "install a matching driver, or use backend.device: cpu";
    case Remedy::other_device:
      return "choose another device (backend.device: cuda:NUMBER), or backend.device: cpu";
    case Remedy::host:
      return "use backend.device: cpu";
    case Remedy::host_or_any_device:
      return "use backend.device: cpu or auto";
    case Remedy::report:
      return "run again; if it fails again use backend.device: cpu and report this message";
    case Remedy::other_smoother_or_host:
      return "use solver.smoother: {type: chebyshev} or backend.device: cpu";
    case Remedy::positive_definite:
      return "check equation.coefficient and equation.reaction; a matrix from a file must be positive definite, or its "
             "rows must sum to zero in all digits";
  }
  return "";
}

std::string beyond_rounding(const Result& r, const Options& options) {
  std::array<char, 32> floor{};
  std::snprintf(floor.data(), floor.size(), "%.1e", r.rounding_floor);
  return std::string(
             "the rounding limit was reached before the tolerance: in this precision, rounding of u leaves a relative "
             "residual of about ") +
         floor.data() + "; loosen the tolerance" +
         (options.precision == SolvePrecision::single ? " or use precision: mixed" : "");
}

}  // namespace

std::string describe_error(const std::exception& error) {
  const auto* own = dynamic_cast<const Error*>(&error);
  const std::string remedy = own ? words(own->remedy) : "";
  return error.what() + (remedy.empty() ? "" : ": " + remedy);
}

ConfigError located(const Config& config, const ValueErrors& found) {
  std::vector<std::string> lines;
  for (const ValueError& e : found.errors) {
    const std::string message = e.what();
    lines.push_back(config.describe(e.quantity) + ": the value" + message.substr(e.quantity.size()));
  }
  return ConfigError(std::move(lines));
}

ConfigError located(const Config& config, const BodyError& found) {
  const std::string key = BodyError::key(found.name), place = config.describe(key);
  return ConfigError({(place == key ? key : place + " (" + found.name + ")") + ": " + found.reason});
}

std::string describe_end(const Result& r, const Options& options) {
  // If a fallback was refused, the advice concerns the fallback, unless rounding ended the run.
  if (!r.refused.empty() && !r.converged() && r.verdict != Verdict::stopped && !r.at_rounding_floor()) return r.refused;
  switch (r.verdict) {
    case Verdict::converged:
      return r.settled ? "converged: the flow has settled" : "converged";
    case Verdict::not_finite:
      return "the residual is not a finite number (overflow, or data near the limits of the number range): check the "
             "scales of the data, or use precision: double";
    case Verdict::diverged:
      if (options.method != Method::multigrid)
        return "the iteration diverged (the residual grew by 10⁶): use method: multigrid, if the matrix allows it";
      return std::string("the iteration diverged (the residual grew by 10⁶): use ") +
             (has_recurrence(options) ? "" : "solver.krylov: cg, ") + "more smoothing sweeps or a smaller relaxation";
    case Verdict::stagnated:
      if (r.at_rounding_floor()) return beyond_rounding(r, options);
      if (!r.steps.empty())
        return "the residual stagnated, and no fallback is left: check the scales of the data (a coefficient, reaction "
               "or alpha may be negligible compared with another)";
      return options.method != Method::multigrid
                 ? "the residual stagnated: use precision: double or, if the matrix allows it, method: multigrid"
             : has_recurrence(options) ? "the residual stagnated: use more smoothing sweeps or precision: double"
                                       : "the residual stagnated: use solver.krylov: cg or more smoothing sweeps";
    case Verdict::inaccurate:
      return "the residual is below the tolerance, but the estimated error of u exceeds 1000 times the tolerance: "
             "estimated_error gives the accuracy of u";
    case Verdict::stopped:
      return "stopped on request";
    case Verdict::running:
      break;
  }
  if (options.tolerance == 0) return "ran the given number of iterations";
  if (r.at_rounding_floor()) return beyond_rounding(r, options);
  const std::string limit = "the iteration limit was reached before the tolerance: raise solver.max_iterations";
  if (options.method != Method::multigrid) return limit + "; method: multigrid needs fewer, if the matrix allows it";
  return has_recurrence(options) ? limit : limit + " or use krylov: cg";
}

std::string describe_widening(const Result& r) {
  return "after " + std::to_string(r.iterations) + (r.iterations == 1 ? " iteration (" : " iterations (") +
         (r.verdict == Verdict::diverged ? "the residual grew by 10⁶" : "the residual is not a finite number") +
         " in single precision): restart in mixed precision";
}

}  // namespace poisson
