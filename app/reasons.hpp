#pragma once

#include <exception>
#include <string>

#include "grids/problem/body_error.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/config/config.hpp"
#include "solver/solver.hpp"

/// These functions explain how a run ended and what to try, in the terms of the configuration and the command line.
namespace poisson {

/// Returns an exception's message with its remedy.
std::string describe_error(const std::exception& error);
/// Returns the errors found on the grid, each with the place of its quantity in the configuration.
ConfigError located(const Config& config, const ValueErrors& found);
/// Returns an error of a body with the place of the body in the configuration.
ConfigError located(const Config& config, const BodyError& found);
/// Returns how a solve ended. `options` must be resolved by the solver.
std::string describe_end(const Result& result, const Options& options);
/// Returns the step of the summary that records a breakdown in single precision. The run continues in mixed precision.
std::string describe_widening(const Result& result);

/// Calls f, and replaces the names of invalid quantities and bodies by their places.
template <class F>
auto with_places(const Config& config, const F& f) {
  try {
    return f();
  } catch (const ValueErrors& errors) {
    throw located(config, errors);
  } catch (const ValueError& error) {
    throw located(config, ValueErrors({error}));
  } catch (const BodyError& error) {
    throw located(config, error);
  }
}

}  // namespace poisson
