#pragma once

#include <exception>
#include <string>

#include "solver/solver.hpp"

/// Why something ended as it did, and what to try, in the terms of the configuration and the command line.
namespace poisson {

/// An exception's message with its remedy.
std::string describe_error(const std::exception& error);
/// How a solve ended. `options`: as the solver has resolved them.
std::string describe_end(const Result& result, const Options& options);
/// A solve in single precision that broke down, as a step of the run that continues in mixed precision.
std::string describe_widening(const Result& result);

}  // namespace poisson
